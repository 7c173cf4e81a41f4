"""Makes the Word and Excel samples: `python tests/formats/make_office_samples.py`, from the folder `backend`.

They are what python-docx and openpyxl write, and two files of our own with every place in use.
"""

import sys
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from office_files import DOCX_PLACES, XLSX_PLACES, docx, openpyxl_workbook, python_docx, xlsx

HERE = Path(__file__).parent / "samples" / "office"
SECRET = "XQZVK PLMRT"

if __name__ == "__main__":
    HERE.mkdir(parents=True, exist_ok=True)
    (HERE / f"python-docx-{version('python-docx')}.docx").write_bytes(python_docx(SECRET))
    (HERE / f"openpyxl-{version('openpyxl')}.xlsx").write_bytes(openpyxl_workbook(SECRET))
    (HERE / "every-place.docx").write_bytes(docx(SECRET, set(DOCX_PLACES) - {"prefix"}))
    (HERE / "every-place.xlsx").write_bytes(xlsx(SECRET, XLSX_PLACES))
