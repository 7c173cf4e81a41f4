/** Written by `make api` from the gateway's tables (sieve/web/write_catalogue.py). Do not edit. */
import { t } from "@lingui/core/macro";

/** Replaces each withheld run in a redacted edition. */
export const MARKER = "█████" as const;

/** The formats that the gateway reads. `view`: how a file of it is shown. */
export const FORMATS = {
  "text": {
    "label": t`Text`,
    "view": "text",
    "mediaType": null,
    "endings": []
  },
  "docx": {
    "label": t`Word document`,
    "view": "paragraphs",
    "mediaType": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "endings": [
      "docx",
      "docm"
    ]
  },
  "xlsx": {
    "label": t`Excel workbook`,
    "view": "sheets",
    "mediaType": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "endings": [
      "xlsx",
      "xlsm"
    ]
  },
  "pdf": {
    "label": t`PDF`,
    "view": "pages",
    "mediaType": "application/pdf",
    "endings": [
      "pdf"
    ]
  },
  "csv": {
    "label": t`Table (.csv)`,
    "view": "rows",
    "mediaType": "text/csv",
    "endings": [
      "csv"
    ]
  },
  "tsv": {
    "label": t`Table (.tsv)`,
    "view": "rows",
    "mediaType": "text/tab-separated-values",
    "endings": [
      "tsv"
    ]
  },
  "jsonl": {
    "label": t`Table (.jsonl)`,
    "view": "rows",
    "mediaType": "application/x-ndjson",
    "endings": [
      "jsonl",
      "ndjson"
    ]
  },
  "bytes": {
    "label": t`File of another format`,
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
    "label": t`E-mail addresses`,
    "hint": t`By their form`
  },
  {
    "value": "phone",
    "label": t`Phone numbers`,
    "hint": t`International, North American, and some national ones`
  },
  {
    "value": "payment-card",
    "label": t`Payment cards`,
    "hint": t`Check digit verified`
  },
  {
    "value": "iban",
    "label": t`Bank accounts (IBAN)`,
    "hint": t`Check digits and the country's form`
  },
  {
    "value": "canadian-sin",
    "label": t`Canadian SIN`,
    "hint": t`Check digit verified`
  },
  {
    "value": "us-ssn",
    "label": t`US social security numbers`,
    "hint": t`In groups, or after “SSN”`
  },
  {
    "value": "birth-date",
    "label": t`Dates of birth`,
    "hint": t`After “born”, “DOB” and the like`
  },
  {
    "value": "ip-address",
    "label": t`IP addresses`,
    "hint": t`IPv4 and IPv6`
  },
  {
    "value": "coordinates",
    "label": t`Coordinates`,
    "hint": t`Degrees, MGRS, UTM`
  }
] as const;
