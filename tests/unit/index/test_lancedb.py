"""The sink for LanceDB and its embedding; what every sink does is in `test_every_sink.py`."""

import json
import sys

import numpy
import pytest
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from sitecrawl.dom.chunks import chunks
from sitecrawl.errors import ConfigError
from sitecrawl.index import lancedb as module
from sitecrawl.index.documents import Change, ChunkDocument
from sitecrawl.index.embedding import AT_ONCE, HttpEmbedding, Model2VecEmbedding
from sitecrawl.index.lancedb import LanceDbSink
from sitecrawl.index.sinks import SinkUnavailableError, build_sink
from tests.unit.index.builders import deletion, document, upsert
from tests.unit.index.servers import Embeddings, Handler, Server, letters


class Longer(Embeddings):
    """A server with another model."""

    def reply(self, body):
        status, said = super().reply(body)
        for one in said["data"]:
            one["embedding"].append(1.0)
        return status, said


class Other(Handler):
    """A server of something else."""

    def reply(self, body):
        return 200, {"data": [{"index": 0}]}


def sink_of(server, folder, **values):
    return LanceDbSink(str(folder), {"url": server.url + "/v1", "model": "letters", "key": "key"}, **values)


def connect(folder):
    import lancedb  # two seconds that only the worker of these tests has to spend

    return lancedb.connect(str(folder))


def table(folder):
    return connect(folder).open_table("pages")


def test_a_chunk_is_found_by_its_vector_and_has_its_fields(tmp_path):
    page = document(1)
    cut = chunks(page.id, page.text, "<h1>Rain</h1><p>It rains again in the inner ring.</p><h2>Sun</h2><p>No sun.</p>")
    names = {"url", "site", "title", "kind", "language", "author", "published", "modified", "date", "updated_at"}
    values = {name: getattr(page, name) for name in names}
    changes = [
        Change(None, one.id, page.url, 7, ChunkDocument(page=page.id, sequence=7, **values, **one._asdict()))
        for one in cut
    ]
    with Server(Embeddings) as server:
        sink = sink_of(server, tmp_path)
        assert sink.send(changes) == []
        sink.close()
    (found,) = table(tmp_path).search(letters("Rain\nSun\nNo sun.")).limit(1).to_list()
    assert (found["text"], found["headings"]) == ("No sun.", ["Rain", "Sun"])
    assert (found["page"], found["url"], found["tokens"], found["sequence"]) == (page.id, page.url, 2, 7)


def test_many_texts_are_asked_for_in_parts_and_in_order():
    texts = ["a" * number for number in range(AT_ONCE + 3)]
    with Server(Embeddings) as server:
        found = HttpEmbedding(f"{server.url}/v1/embeddings", "letters", "key").vectors(texts)
    assert [one[0] for one in found] == [float(len(text)) for text in texts]


def test_an_embedding_that_does_not_answer_is_no_fault_of_a_page(tmp_path):
    with pytest.raises(SinkUnavailableError, match="no response"):
        LanceDbSink(str(tmp_path), {"url": "http://127.0.0.1:9/v1", "model": "m"}).send([upsert(1)])
    with Server(Embeddings) as server, pytest.raises(SinkUnavailableError, match=r" 401 .*Incorrect API key"):
        LanceDbSink(str(tmp_path), {"url": server.url + "/v1", "model": "m"}).send([upsert(1)])
    with Server(Other) as server, pytest.raises(SinkUnavailableError, match="is it the embeddings API of OpenAI"):
        sink_of(server, tmp_path).send([upsert(1)])
    assert connect(tmp_path).list_tables().tables == []


def test_vectors_of_another_length_are_refused_with_what_to_do(tmp_path):
    with Server(Embeddings) as server:
        sink_of(server, tmp_path).send([upsert(1)])
    with Server(Longer) as server:
        with pytest.raises(SinkUnavailableError, match="have 5 numbers, those of the model 6; name another table"):
            sink_of(server, tmp_path).send([upsert(2)])
        sink_of(server, tmp_path, table="others").send([upsert(2)])
    assert table(tmp_path).count_rows() == 1


def test_deletions_alone_need_no_table_and_no_vectors(tmp_path):
    with Server(Embeddings) as server:
        sink_of(server, tmp_path).send([deletion(1)])
        assert connect(tmp_path).list_tables().tables == []
        sink_of(server, tmp_path).send([upsert(1), deletion(2)])
    LanceDbSink(str(tmp_path), {"url": "http://127.0.0.1:9/v1", "model": "m"}).send([deletion(1)])
    assert table(tmp_path).count_rows() == 0


def test_the_table_is_made_compact(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SENDS", 4)
    with Server(Embeddings) as server:
        sink = sink_of(server, tmp_path)
        for number in range(4):
            sink.send([upsert(number)])
    assert table(tmp_path).count_rows() == 4
    assert len(list(tmp_path.rglob("data/*.lance"))) > 4  # the old ones stay for readers, and one has all rows
    assert table(tmp_path).stats()["fragment_stats"]["num_fragments"] == 1


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return the folder of a static model of four words."""
    words = Tokenizer(WordLevel({"[UNK]": 0, "[PAD]": 1, "rain": 2, "sun": 3}, unk_token="[UNK]"))
    words.pre_tokenizer = Whitespace()
    folder = tmp_path_factory.mktemp("model")
    StaticModel(numpy.array([[0, 0], [0, 0], [1, 0], [0, 1]], "float32"), words).save_pretrained(folder)
    return str(folder)


def test_vectors_of_a_static_model_need_no_server(tmp_path, model):
    sink = LanceDbSink(str(tmp_path), {"type": "model2vec", "model": model})
    texts = {1: "sun sun sun rain", 2: "rain rain rain sun", 3: "fog"}
    changes = [upsert(number, title=None, text=text) for number, text in texts.items()]
    assert sink.send(changes) == []
    sink.close()
    rows = {row["text"]: row["vector"] for row in table(tmp_path).to_arrow().to_pylist()}
    assert rows == {"sun sun sun rain": [0.25, 0.75], "rain rain rain sun": [0.75, 0.25], "fog": [0.0, 0.0]}
    (found,) = table(tmp_path).search([1.0, 0.0]).limit(1).to_list()
    assert found["text"] == texts[2]


def test_all_words_of_a_long_text_count(model):
    (vector,) = Model2VecEmbedding(model).vectors(["sun " * 3_000 + "rain " * 1_000])
    assert vector == pytest.approx([0.25, 0.75])


def test_without_model2vec_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(ConfigError, match=r"pip install 'sitecrawl\[model2vec\]'"):
        Model2VecEmbedding("folder")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"embedding": {"type": "torch"}}, "embedding: unknown type 'torch'; known: http, model2vec"),
        ({"embedding": {"type": "model2vec"}}, "missing 1 required positional argument: 'model'; it takes model"),
        ({"embedding": {"type": "model2vec", "model": "/no/model"}}, "the model '/no/model' cannot be loaded; give"),
        ({}, "missing a required argument: 'embedding'"),
        ({"embedding": "openai"}, "lancedb: embedding takes an object"),
        ({"embedding": {"url": "http://h/v1"}}, "embedding: missing 1 required positional argument: 'model'"),
        ({"embedding": {"url": "h", "model": "m"}}, "'h' is not an http or https URL"),
    ],
)
def test_options_that_are_missing_are_named(tmp_path, options, message):
    with pytest.raises(ConfigError) as caught:
        build_sink("lancedb", {"lancedb": {"folder": str(tmp_path), **options}})
    assert message in str(caught.value)


def test_a_folder_that_cannot_be_written_is_unavailable(tmp_path):
    (tmp_path / "file").write_text("")
    with Server(Embeddings) as server, pytest.raises(SinkUnavailableError, match="file"):
        sink_of(server, tmp_path / "file" / "inside").send([upsert(1)])


def test_without_the_library_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with pytest.raises(ConfigError, match=r"pip install 'sitecrawl\[lancedb\]'"):
        build_sink("lancedb", {"lancedb": {"folder": "x", "embedding": json.loads("{}")}})
