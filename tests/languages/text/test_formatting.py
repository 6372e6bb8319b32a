"""Formatting changes nothing but blanks, keeps comments, and is done when it is done once."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.languages import examples
from weft.languages import registry
from weft.model.faults import Invalid

LAID_OUT = [one for one in registry.LANGUAGES.values() if one.layout]
TEXTS = [(one, place.read_bytes()) for one in LAID_OUT for place in examples.texts(one.name, "accept")]

MESSY = b"""// first
TRANS_ACTIVITY   a( IN int n ,
IN int m );USER_ACTIVITY b ( ) PARTICIPANT
x ;   /* one */ /* two */


DEFINE_PROCESS p(IN int n){ACTIVITY a a,a2;ACTIVITY b b;VAR int list [ 3 ];

// alone

IF(n==-1)a(n , list[ 0 ]);  // behind
else{b();}

  /* two
     lines */
a2( n,!TRUE && - n
 > 2);}
// last"""

LAID = """// first
TRANS_ACTIVITY a(IN int n,
    IN int m);
USER_ACTIVITY b() PARTICIPANT
    x; /* one */ /* two */

DEFINE_PROCESS p(IN int n)
{
    ACTIVITY a a, a2;
    ACTIVITY b b;
    VAR int list[3];

    // alone

    IF (n == -1) a(n, list[0]); // behind
    else
    {
        b();
    }

    /* two
     lines */
    a2(n, !TRUE && -n
        > 2);
}
// last
"""


def test_a_messy_text_is_laid_out() -> None:
    assert registry.named("mfdl").format(MESSY, "messy.mfdl") == LAID


def test_a_long_line_is_broken_behind_a_comma() -> None:
    names = ", ".join(f"IN int parameter_{number}" for number in range(12))
    made = registry.named("mfdl").format(f"USER_ACTIVITY a({names}) PARTICIPANT x;".encode(), "long.mfdl")
    assert max(map(len, made.splitlines())) <= 100
    assert registry.named("mfdl").format(made.encode(), "long.mfdl") == made


WRAPPED = """\
USER_ACTIVITY take(IN string the_first_of_the_names, IN string the_second_of_the_names,
    IN string the_last_of_the_names) PARTICIPANT x;

DEFINE_PROCESS keep(IN string the_first_of_the_names, IN string the_second_of_the_names,
    IN string the_last_of_the_names)
{
    ACTIVITY take take, again, once_more;
    IF (the_first_of_the_names == the_second_of_the_names
        && the_last_of_the_names == "")
    {
        take(the_first_of_the_names, the_second_of_the_names, the_last_of_the_names);
    }
    ELSE
        SERIAL
        {
            again(the_first_of_the_names, the_second_of_the_names, the_last_of_the_names);
        }
    once_more("", "", "");
}
"""


def test_a_brace_stands_under_the_first_line_of_what_was_broken() -> None:
    assert registry.named("mfdl").format(WRAPPED.replace(",\n   ", ",").encode(), "wrapped.mfdl") == WRAPPED
    assert registry.named("mfdl").format(WRAPPED.encode(), "wrapped.mfdl") == WRAPPED


def test_what_is_wrong_or_has_no_layout_is_refused() -> None:
    with pytest.raises(Invalid, match="';' is missing"):
        registry.named("mfdl").format(b"USER_ACTIVITY a()", "wrong.mfdl")
    with pytest.raises(Invalid, match="the JSON form of a definition has no layout"):
        registry.named("json").format(b"{}", "x.json")


BLANKS = st.sampled_from(
    ["", " ", "  ", "\n", "\n\n\n", " // note\n", "/* note */", " /* a\n  b */\n", "\n// note\n\n"]
)


@given(st.sampled_from(TEXTS), st.data())
def test_whatever_stands_between_the_tokens_it_is_stable_and_keeps_all(
    given_text: tuple[registry.Language, bytes], data: st.DataObject
) -> None:
    language, content = given_text
    pieces = re.split(r"([(){};,])", content.decode())
    places = data.draw(st.lists(st.integers(0, len(pieces) - 1), max_size=20))
    for place in places:
        if not re.search(r"[\"'/]", pieces[place]):
            pieces[place] += data.draw(BLANKS)
    text = "".join(pieces).encode()
    try:
        made = language.format(text, "x")
    except Invalid:  # a note that ended in a comment of the text
        return
    assert language.format(made.encode(), "x") == made
    assert made.count("note") == text.count(b"note")
