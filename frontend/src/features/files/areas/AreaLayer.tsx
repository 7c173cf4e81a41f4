import { t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { type PointerEvent, useRef, useState } from "react";
import { isPicture } from "@/api/formats";
import { IconButton } from "@/components/ui/IconButton";
import { cx } from "@/lib/cx";
import { type Area, addressOfArea, areaBetween, areasOf, type Size } from "../model/areas";
import { whole } from "../model/marks";
import { useMarks, useViewedFile } from "../viewed-file";

/** Shorter movements, in px, are clicks. */
const LEAST_PX = 4;

interface AreaLayerProps {
  page: number;
  size: Size;
  /** Further areas can be drawn: what is below the layer cannot be reached. */
  canDraw?: boolean;
  /** A finger draws, too; otherwise it scrolls. */
  byTouch?: boolean;
  /** An area that is being typed. */
  typed?: Area | null;
}

/** The marked areas over a page. The mouse, a pen or a finger draws further ones. */
export function AreaLayer({ page, size, canDraw = false, byTouch = false, typed = null }: AreaLayerProps) {
  const { marking, format } = useViewedFile();
  const { marks } = useMarks();
  const layer = useRef<HTMLDivElement>(null);
  const start = useRef<{ x: number; y: number } | null>(null);
  const [drawing, setDrawing] = useState<Area | null>(null);
  const shown = (canDraw && drawing) || typed;

  const placeOf = ({ clientX, clientY }: PointerEvent) => {
    const box = layer.current?.getBoundingClientRect();
    return box && box.width > 0
      ? { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height }
      : { x: 0, y: 0 };
  };
  const areaTo = (event: PointerEvent): Area | null => {
    const box = layer.current?.getBoundingClientRect();
    const from = start.current;
    const to = placeOf(event);
    if (!from || !box) return null;
    const moved = Math.max(Math.abs(to.x - from.x) * box.width, Math.abs(to.y - from.y) * box.height);
    return moved < LEAST_PX ? null : areaBetween(from, to, size);
  };
  const down = (event: PointerEvent) => {
    if (!canDraw || event.button !== 0 || (event.pointerType === "touch" && !byTouch)) return;
    if (event.target !== layer.current) return;
    event.preventDefault();
    layer.current.setPointerCapture(event.pointerId);
    start.current = placeOf(event);
  };
  const end = (event: PointerEvent) => {
    const area = areaTo(event);
    start.current = null;
    setDrawing(null);
    if (area && canDraw && event.type === "pointerup") marking?.mark([whole(addressOfArea(page, area))], t`an area`);
  };
  return (
    <div
      ref={layer}
      className={cx("areas", isPicture(format) && "areas-dark", canDraw && "areas-open", byTouch && "areas-touch")}
      onPointerDown={down}
      onPointerMove={(event) => start.current && setDrawing(areaTo(event))}
      onPointerUp={end}
      onPointerCancel={end}
    >
      {areasOf(marks, page).map(({ address, area }, at) => (
        <div key={address} data-area={address} className="area" style={boxOf(area, size)}>
          {marking && (
            <IconButton
              label={t`Unmark area ${at + 1}`}
              icon={<X />}
              size="sm"
              className="area-button"
              onClick={() => marking.unmark([whole(address)], t`an area`)}
            />
          )}
        </div>
      ))}
      {shown && <div className="area area-drawn" style={boxOf(shown, size)} />}
    </div>
  );
}

function boxOf({ left, top, right, bottom }: Area, [width, height]: Size) {
  return {
    left: `${(left / width) * 100}%`,
    top: `${(top / height) * 100}%`,
    width: `${((right - left) / width) * 100}%`,
    height: `${((bottom - top) / height) * 100}%`,
  };
}
