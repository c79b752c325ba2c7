# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The compiled twin of `scanned` in `rows.py`, which is the reference and chooses."""

from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_KIND

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(dict, object) except? NULL
    const void* PyUnicode_DATA(str)
    int Py_UNICODE_ISDECIMAL(Py_UCS4)

ctypedef fused Character:
    unsigned char
    unsigned short
    unsigned int


cdef bint _year(const Character* text, Py_ssize_t size) noexcept:
    """Say whether there is a year of `rows.YEAR`."""
    cdef Py_ssize_t i = 0
    while i < size - 3:
        if (text[i] == c"1" and text[i + 1] == c"9") or (text[i] == c"2" and text[i + 1] == c"0"):
            if Py_UNICODE_ISDECIMAL(text[i + 2]) and Py_UNICODE_ISDECIMAL(text[i + 3]):
                return True
        i += 1
    return False


cdef bint _holds_year(str text) noexcept:
    cdef Py_ssize_t size = len(text)
    cdef const void* data
    if size < 4:
        return False
    data = PyUnicode_DATA(text)
    if PyUnicode_KIND(text) == 1:
        return _year(<const unsigned char*>data, size)
    if PyUnicode_KIND(text) == 2:
        return _year(<const unsigned short*>data, size)
    return _year(<const unsigned int*>data, size)


def scanned(list tag not None, list names not None, list text not None, said):
    """Return (rows of `h1`, rows of `time`, [(row, bits)] of names that say something, rows with a year)."""
    cdef list headings = [], times = [], found = [], years = []
    cdef dict known = said.known
    cdef Py_ssize_t i, size = PyList_GET_SIZE(tag)
    cdef PyObject* bits
    cdef PyObject* last = NULL
    cdef object number
    cdef str one
    if PyList_GET_SIZE(names) != size or PyList_GET_SIZE(text) != size:
        raise ValueError("columns of several pages")
    for i in range(size):
        one = <str>tag[i]
        if len(one) == 2:
            if one == "h1":
                headings.append(i)
        elif len(one) == 4 and one == "time":
            times.append(i)
        one = <str>text[i]
        if len(one) > 3 and _holds_year(one):
            years.append(i)
        one = <str>names[i]
        if len(one) == 0 or <PyObject*>one == last:
            continue
        bits = PyDict_GetItemWithError(known, one)
        number = <object>bits if bits != NULL else said(one)
        if number:
            found.append((i, number))
        else:
            last = <PyObject*>one  # the class of the rows around it, often; kept alive by the list
    return headings, times, found, years
