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
  "pptx": {
    "label": t`PowerPoint presentation`,
    "view": "paragraphs",
    "mediaType": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "endings": [
      "pptx",
      "pptm",
      "ppsx",
      "potx"
    ]
  },
  "odt": {
    "label": t`OpenDocument text`,
    "view": "paragraphs",
    "mediaType": "application/vnd.oasis.opendocument.text",
    "endings": [
      "odt",
      "ott"
    ]
  },
  "ods": {
    "label": t`OpenDocument workbook`,
    "view": "sheets",
    "mediaType": "application/vnd.oasis.opendocument.spreadsheet",
    "endings": [
      "ods",
      "ots"
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
  "html": {
    "label": t`Web page`,
    "view": "paragraphs",
    "mediaType": "application/html",
    "endings": [
      "html",
      "htm"
    ]
  },
  "rtf": {
    "label": t`RTF document`,
    "view": "paragraphs",
    "mediaType": "application/rtf",
    "endings": [
      "rtf"
    ]
  },
  "eml": {
    "label": t`E-mail`,
    "view": "paragraphs",
    "mediaType": "message/rfc822",
    "endings": [
      "eml"
    ]
  },
  "zip": {
    "label": t`Zip archive`,
    "view": "paragraphs",
    "mediaType": "application/zip",
    "endings": [
      "zip"
    ]
  },
  "png": {
    "label": t`Picture (.png)`,
    "view": "pages",
    "mediaType": "image/png",
    "endings": [
      "png"
    ]
  },
  "jpeg": {
    "label": t`Picture (.jpg)`,
    "view": "pages",
    "mediaType": "image/jpeg",
    "endings": [
      "jpg",
      "jpeg"
    ]
  },
  "tiff": {
    "label": t`Picture (.tiff)`,
    "view": "pages",
    "mediaType": "image/tiff",
    "endings": [
      "tiff",
      "tif"
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
    "hint": t`By their form`,
    "example": "anna@example.com" // not a text
  },
  {
    "value": "phone",
    "label": t`Phone numbers`,
    "hint": t`International, North American, and some national ones`,
    "example": "+1 416 555 0123" // not a text
  },
  {
    "value": "person-name",
    "label": t`Names of persons`,
    "hint": t`After a title or a common first name`,
    "example": "Dr Okonkwo, Anna Smith" // not a text
  },
  {
    "value": "place-name",
    "label": t`Names of places`,
    "hint": t`Countries, large cities, and addresses`,
    "example": "10 Downing Street, London" // not a text
  },
  {
    "value": "vehicle-plate",
    "label": t`Vehicle plates`,
    "hint": t`After “plate”, “Kennzeichen” and the like`,
    "example": "licence plate AB12 CDE" // not a text
  },
  {
    "value": "birth-date",
    "label": t`Dates of birth`,
    "hint": t`After “born”, “DOB” and the like`,
    "example": "born on 3 March 1980" // not a text
  },
  {
    "value": "passport",
    "label": t`Passport numbers`,
    "hint": t`After “passport”, and the lines for machines`,
    "example": "Passport no. C01X00T47" // not a text
  },
  {
    "value": "canadian-sin",
    "label": t`Canadian SIN`,
    "hint": t`Check digit verified`,
    "example": "046 454 286" // not a text
  },
  {
    "value": "us-ssn",
    "label": t`US social security numbers`,
    "hint": t`In groups, or after “SSN”`,
    "example": "536-90-4399" // not a text
  },
  {
    "value": "uk-nino",
    "label": t`UK National Insurance numbers`,
    "hint": t`By their form`,
    "example": "JG 10 37 59 A" // not a text
  },
  {
    "value": "french-nir",
    "label": t`French social security numbers (NIR)`,
    "hint": t`Check digits verified`,
    "example": "2 55 08 14 168 025 38" // not a text
  },
  {
    "value": "german-tax-id",
    "label": t`German tax identification numbers`,
    "hint": t`Check digit verified`,
    "example": "36 574 261 809" // not a text
  },
  {
    "value": "indian-aadhaar",
    "label": t`Indian Aadhaar numbers`,
    "hint": t`Check digit verified`,
    "example": "2341 2341 2346" // not a text
  },
  {
    "value": "payment-card",
    "label": t`Payment cards`,
    "hint": t`Check digit verified`,
    "example": "4111 1111 1111 1111" // not a text
  },
  {
    "value": "iban",
    "label": t`Bank accounts (IBAN)`,
    "hint": t`Check digits and the country’s form`,
    "example": "GB29 NWBK 6016 1331 9268 19" // not a text
  },
  {
    "value": "bic",
    "label": t`Banks (BIC)`,
    "hint": t`With a digit, with XXX, or after “BIC” or “SWIFT”`,
    "example": "BIC COBADEFF" // not a text
  },
  {
    "value": "us-routing",
    "label": t`US bank routing numbers`,
    "hint": t`After “routing” or “ABA”, check digit verified`,
    "example": "ABA 111000025" // not a text
  },
  {
    "value": "crypto-address",
    "label": t`Crypto addresses`,
    "hint": t`Bitcoin by checksum, Ethereum by form`,
    "example": "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa" // not a text
  },
  {
    "value": "salary",
    "label": t`Salaries`,
    "hint": t`Sums after “salary”, “wage” and the like`,
    "example": "a salary of $85,000" // not a text
  },
  {
    "value": "case-number",
    "label": t`Case and file numbers`,
    "hint": t`After “case”, “file”, “Az.” and the like`,
    "example": "Case No. 2024-CV-01234" // not a text
  },
  {
    "value": "api-key",
    "label": t`API keys and passwords`,
    "hint": t`Keys by their form, values after “password” and the like`,
    "example": "Password: Tr0ub4dor&3" // not a text
  },
  {
    "value": "ip-address",
    "label": t`IP addresses`,
    "hint": t`IPv4 and IPv6`,
    "example": "192.168.1.20" // not a text
  },
  {
    "value": "coordinates",
    "label": t`Coordinates`,
    "hint": t`Degrees, MGRS, UTM`,
    "example": "45.4215, -75.6972" // not a text
  }
] as const;
