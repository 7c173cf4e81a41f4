import { t } from "@lingui/core/macro";
import { createElement, Fragment, memo, type ReactNode } from "react";
import type { MarkdownView, Piece, View } from "./markdown-view";
import "./markdown.css";

interface MarkdownProps {
  view: MarkdownView;
  /** Spans are withheld text, and drawn as bars. */
  gaps: boolean;
}

/** Draws Markdown. Links and images are words: nothing is fetched, and nothing can be followed. */
export const Markdown = memo(function Markdown({ view, gaps }: MarkdownProps) {
  return <div className="document markdown">{drawn(view.views, gaps)}</div>;
});

function drawn(views: readonly View[], gaps: boolean): ReactNode {
  return views.map((view) => (
    <Fragment key={`${view.is} ${view.at}`}>
      <One view={view} gaps={gaps} />
    </Fragment>
  ));
}

function One({ view, gaps }: { view: View; gaps: boolean }): ReactNode {
  switch (view.is) {
    case "text": {
      const text = <Pieces pieces={view.pieces} gaps={gaps} />;
      if (view.style === "code") return <code>{text}</code>;
      return view.style === "quiet" ? <span className="markdown-quiet">{text}</span> : text;
    }
    case "emphasis":
      return <em>{drawn(view.of, gaps)}</em>;
    case "strong":
      return <strong>{drawn(view.of, gaps)}</strong>;
    case "delete":
      return <del>{drawn(view.of, gaps)}</del>;
    case "link":
      return <span className="markdown-link">{drawn(view.of, gaps)}</span>;
    case "paragraph":
      return <p>{drawn(view.of, gaps)}</p>;
    case "quote":
      return <blockquote>{drawn(view.of, gaps)}</blockquote>;
    case "heading":
      // The page's own heading is the first.
      return createElement(`h${Math.min(6, view.depth + 1)}`, null, drawn(view.of, gaps));
    case "list": {
      const items = view.of.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is its number
        <li key={index}>{drawn(item, gaps)}</li>
      ));
      return view.start === null ? <ul>{items}</ul> : <ol start={view.start}>{items}</ol>;
    }
    case "code":
      return (
        <div>
          {view.info.length > 0 && (
            <p className="markdown-quiet">
              <Pieces pieces={view.info} gaps={gaps} />
            </p>
          )}
          <pre>
            <code>
              <Pieces pieces={view.pieces} gaps={gaps} />
            </code>
          </pre>
        </div>
      );
    case "table":
      return <Table view={view} gaps={gaps} />;
    case "break":
      return <br />;
    case "rule":
      return <hr />;
  }
}

function Table({ view: { align, rows }, gaps }: { view: Extract<View, { is: "table" }>; gaps: boolean }) {
  const [head = [], ...body] = rows;
  const styleOf = (column: number) => (align[column] ? { textAlign: align[column] } : undefined);
  return (
    <div className="markdown-table">
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its number
              <th key={column} scope="col" style={styleOf(column)}>
                {drawn(cell, gaps)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its number
            <tr key={number}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its number
                <td key={column} style={styleOf(column)}>
                  {drawn(cell, gaps)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Pieces({ pieces, gaps }: { pieces: readonly Piece[]; gaps: boolean }): ReactNode {
  return pieces.map(({ text, span, continues }, index) => {
    const key = `${index} ${span}`;
    if (span < 0) return <Fragment key={key}>{text}</Fragment>;
    return gaps ? (
      <span key={key} role="img" aria-label={t`withheld`} className="withheld" data-span={span} />
    ) : (
      <mark key={key} className="classified" data-span={span} data-continues={continues ? "" : undefined}>
        {text}
      </mark>
    );
  });
}
