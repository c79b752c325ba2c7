"""Cells of a CSV feed are no formulas."""

import csv
import io

import pytest

from sitecrawl.shell.csv_export import SafeCsvItemExporter


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_formula_is_a_text(text):
    written = io.BytesIO()
    exporter = SafeCsvItemExporter(written)
    exporter.start_exporting()
    exporter.export_item({"title": text, "text": "plain", "confidence": -0.5})
    exporter.finish_exporting()
    (row,) = csv.DictReader(io.StringIO(written.getvalue().decode(), newline=""))
    assert row == {"title": f"'{text}", "text": "plain", "confidence": "-0.5"}
