"""Columns of sheets by their letters: A is the first, AA the 27th; and places such as B17."""


def column_name(number: int) -> str:
    """The letters of a column; 1 is A."""
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def column_number(letters: str) -> int:
    """The number of a column; A is 1."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def row_and_column(place: str) -> tuple[int, int]:
    """The numbers of the row and the column of a cell; B17 is (17, 2)."""
    letters = place.rstrip("0123456789")
    return int(place[len(letters) :]), column_number(letters)
