import subprocess
import sys
from typing import Any, ClassVar

from sqlalchemy import (
    ForeignKey,
    Integer,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    create_engine,
    insert,
    select,
    update,
)

from sitecrawl.storage.tables.notation import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    metadata = MetaData()
    type_annotation_map: ClassVar[dict[Any, Any]] = {int: Integer, str: Text, list[int]: String(7)}


class HouseRow(Base):
    __tablename__ = "house"
    id: Mapped[int] = mapped_column(primary_key=True)
    street: Mapped[str]
    owner: Mapped[str | None]
    rooms: Mapped[list[int] | None] = mapped_column(server_default="3")


class DoorRow(Base):
    __tablename__ = "door"
    house: Mapped[int] = mapped_column(ForeignKey("house.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(String(20))
    __table_args__ = (UniqueConstraint("name"), {"sqlite_with_rowid": False})


def test_a_class_describes_its_table():
    house, door = HouseRow.__table__, DoorRow.__table__
    assert list(Base.metadata.tables) == ["house", "door"]
    assert [(column.name, column.nullable, column.primary_key) for column in house.c] == [
        ("id", False, True),
        ("street", False, False),
        ("owner", True, False),
        ("rooms", True, False),
    ]
    assert [repr(column.type) for column in house.c] == ["Integer()", "Text()", "Text()", "String(length=7)"]
    assert house.c.rooms.server_default.arg == "3"
    assert [repr(column.type) for column in door.c] == ["Integer()", "Integer()", "String(length=20)"]
    assert [key.target_fullname for key in door.foreign_keys] == ["house.id"]
    assert any(isinstance(one, UniqueConstraint) for one in door.constraints)
    assert door.dialect_options["sqlite"]["with_rowid"] is False


def test_attributes_are_columns_and_the_class_is_the_table():
    assert HouseRow.street is HouseRow.__table__.c.street
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        Base.metadata.create_all(connection)
        connection.execute(insert(HouseRow).values(id=1, street="a"))
        connection.execute(
            insert(DoorRow), [{"house": 1, "number": 1, "name": "x"}, {"house": 1, "number": 2, "name": "y"}]
        )
        connection.execute(update(DoorRow).where(DoorRow.number == 2).values(name="z"))
        rows = select(HouseRow.street, DoorRow.name).join_from(HouseRow, DoorRow).order_by(DoorRow.number)
        assert connection.execute(rows).all() == [("a", "x"), ("a", "z")]
        assert connection.execute(select(HouseRow)).one() == (1, "a", None, "3")
    engine.dispose()


def test_the_orm_is_not_loaded():
    script = "import sys, sitecrawl.storage.tables.models; print('sqlalchemy.orm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "False\n"
