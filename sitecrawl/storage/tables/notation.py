"""Tables declared as classes, as SQLAlchemy's ORM declares them, without loading it.

Rows are never objects here: statements name columns, and results are tuples. So the part of the ORM that is used is
the notation, and it alone is made here: a class stands for its table, its attributes for the columns. The ORM itself
takes a tenth of the start of a crawl and 8 MB. Type checkers see the ORM's own classes, whose types are the same.
"""

from types import UnionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args

from sqlalchemy import Column, MetaData, Table
from sqlalchemy.schema import SchemaItem

__all__ = ["DeclarativeBase", "Mapped", "mapped_column"]

if TYPE_CHECKING:
    from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
else:
    _T = TypeVar("_T")

    class Mapped(Generic[_T]):
        """The Python type of a column; one that may be None says so."""

    class mapped_column:  # noqa: N801  (the ORM's name)
        """What a column is besides its Python type."""

        def __init__(self, *parts: Any, **options: Any) -> None:
            self.parts = parts
            self.options = options

    class _Declared(type):
        """Makes a table of each class that names one."""

        def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> None:
            super().__init__(name, bases, members)
            if "__tablename__" not in members:
                return
            columns = [_column(cls, name, said, members.get(name)) for name, said in cls.__annotations__.items()]
            parts = members.get("__table_args__", ())
            options = {name: value for part in parts if isinstance(part, dict) for name, value in part.items()}
            rest = [part for part in parts if not isinstance(part, dict)]
            cls.__table__ = Table(members["__tablename__"], cls.metadata, *columns, *rest, **options)
            for column in cls.__table__.columns:
                setattr(cls, column.name, column)

        def __clause_element__(cls) -> Table:
            """Return the table, where SQLAlchemy takes the class for one."""
            return cls.__table__

    class DeclarativeBase(metaclass=_Declared):
        """Base of the classes of a `metadata`."""

        metadata: MetaData
        type_annotation_map: dict[Any, Any]

    def _column(cls: Any, name: str, said: Any, declared: Any) -> Column[Any]:
        (kind,) = get_args(said)
        options = get_args(kind) if isinstance(kind, UnionType) else (kind,)
        given = declared.parts if declared is not None else ()
        typed = bool(given) and not isinstance(given[0], SchemaItem)
        plain = next(option for option in options if option is not type(None))
        parts = given if typed else (cls.type_annotation_map[plain], *given)
        more = {"nullable": type(None) in options, **(declared.options if declared is not None else {})}
        return Column(name, *parts, **more)
