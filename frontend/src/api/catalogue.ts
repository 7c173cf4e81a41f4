/** Written by `make api` from the gateway's tables (sieve/web/write_catalogue.py). Do not edit. */

/** Replaces each withheld run in a redacted edition. */
export const MARKER = "█████" as const;

/** The formats that the gateway reads. `view`: how a file of it is shown. */
export const FORMATS = {
  "text": {
    "label": "Text",
    "view": "text",
    "mediaType": null,
    "endings": []
  },
  "docx": {
    "label": "Word document",
    "view": "paragraphs",
    "mediaType": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "endings": [
      "docx",
      "docm"
    ]
  },
  "xlsx": {
    "label": "Excel workbook",
    "view": "sheets",
    "mediaType": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "endings": [
      "xlsx",
      "xlsm"
    ]
  },
  "pdf": {
    "label": "PDF",
    "view": "pages",
    "mediaType": "application/pdf",
    "endings": [
      "pdf"
    ]
  },
  "csv": {
    "label": "Table (.csv)",
    "view": "rows",
    "mediaType": "text/csv",
    "endings": [
      "csv"
    ]
  },
  "tsv": {
    "label": "Table (.tsv)",
    "view": "rows",
    "mediaType": "text/tab-separated-values",
    "endings": [
      "tsv"
    ]
  },
  "jsonl": {
    "label": "Table (.jsonl)",
    "view": "rows",
    "mediaType": "application/x-ndjson",
    "endings": [
      "jsonl",
      "ndjson"
    ]
  },
  "bytes": {
    "label": "File of another format",
    "view": "bytes",
    "mediaType": null,
    "endings": []
  }
} as const;

/** Which media types are text in UTF-8. */
export const TEXT = {
  "types": [
    "application/ecmascript",
    "application/javascript",
    "application/json",
    "application/sql",
    "application/toml",
    "application/x-ndjson",
    "application/x-sh",
    "application/xml",
    "application/yaml"
  ],
  "suffixes": [
    "+json",
    "+xml",
    "+yaml"
  ],
  "charsets": [
    "us-ascii",
    "utf-8",
    "utf8"
  ]
} as const;

/** The detectors that a policy's rule may name. */
export const DETECTORS = [
  {
    "value": "email",
    "label": "E-mail addresses",
    "hint": "By their form"
  },
  {
    "value": "phone",
    "label": "Phone numbers",
    "hint": "International, North American, and some national ones"
  },
  {
    "value": "payment-card",
    "label": "Payment cards",
    "hint": "Check digit verified"
  },
  {
    "value": "iban",
    "label": "Bank accounts (IBAN)",
    "hint": "Check digits and the country's form"
  },
  {
    "value": "canadian-sin",
    "label": "Canadian SIN",
    "hint": "Check digit verified"
  },
  {
    "value": "us-ssn",
    "label": "US social security numbers",
    "hint": "With hyphens or spaces"
  },
  {
    "value": "birth-date",
    "label": "Dates of birth",
    "hint": "After “born”, “DOB” and the like"
  },
  {
    "value": "ip-address",
    "label": "IP addresses",
    "hint": "IPv4 and IPv6"
  },
  {
    "value": "coordinates",
    "label": "Coordinates",
    "hint": "Degrees, MGRS"
  }
] as const;
