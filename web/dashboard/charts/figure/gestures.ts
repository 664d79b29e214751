import type { PlotPoint } from '../plot/geometry.ts';

/** The effect of a drag: zooms by default, pans with Shift, marks a range with Alt or in marking mode. */
export type DragKind = 'zoom' | 'pan' | 'mark';

export interface GestureTarget {
  /** Undefined: the plot cannot be dragged, such as rings. */
  dragKind(event: PointerEvent): DragKind | undefined;
  hover(point: PlotPoint): void;
  leave(): void;
  click(point: PlotPoint): void;
  dragged(kind: DragKind, from: PlotPoint, to: PlotPoint): void;
  dropped(kind: DragKind, from: PlotPoint, to: PlotPoint): void;
  dragCancelled(): void;
  /** `factor` below 1 zooms in. */
  scale(factor: number, at: PlotPoint): void;
  /** Two fingers touch the plot; `at` is the middle between them. */
  pinchStarted(at: PlotPoint): void;
  /** They have moved; `factor` is the scale since they touched. */
  pinched(factor: number, at: PlotPoint): void;
  doubleClick(): void;
}

/** Less movement is a click. */
const DRAG_FROM_PX = 5;
const WHEEL_STEP = 0.0022;
const MIN_PINCH_PX = 8;

/** Reads pointers and wheel over a plot. A finger alone points and scrolls the page; two fingers zoom and pan. */
export class Gestures {
  readonly #element: HTMLElement;
  readonly #target: GestureTarget;
  readonly #pointers = new Map<number, PlotPoint>();
  readonly #abort = new AbortController();
  #drag: { readonly id: number; readonly kind: DragKind; readonly from: PlotPoint; isMoving: boolean } | undefined;
  #pinchWidth: number | undefined;
  #justDragged = false;
  #isTouched = false;

  constructor(element: HTMLElement, target: GestureTarget) {
    this.#element = element;
    this.#target = target;
    const { signal } = this.#abort;
    element.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    element.addEventListener('pointermove', (event) => this.#move(event), { signal });
    element.addEventListener('pointerup', (event) => this.#up(event), { signal });
    element.addEventListener('pointercancel', (event) => this.#lost(event), { signal });
    element.addEventListener('pointerleave', (event) => this.#left(event), { signal });
    // A finger's cursor stays until the next touch.
    window.addEventListener('pointerdown', (event) => this.#pressed(event), { signal });
    element.addEventListener('wheel', (event) => this.#wheel(event), { signal, passive: false });
    element.addEventListener('dblclick', () => target.doubleClick(), { signal });
    // The click that ends a drag is ignored.
    element.addEventListener('click', (event) => this.#click(event), { signal, capture: true });
  }

  /** Cancels a drag in progress; false: none. */
  cancel(): boolean {
    if (!this.#drag?.isMoving) return false;
    this.#drag = undefined;
    this.#justDragged = true;
    this.#target.dragCancelled();
    return true;
  }

  close(): void {
    this.#abort.abort();
  }

  #pointOf(event: MouseEvent): PlotPoint {
    const { left, top } = this.#element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  #down(event: PointerEvent): void {
    const at = this.#pointOf(event);
    this.#justDragged = false;
    if (event.pointerType === 'touch') {
      this.#isTouched = true;
      this.#pointers.set(event.pointerId, at);
      if (this.#pointers.size === 2) {
        const { width, middle } = this.#fingers();
        this.#pinchWidth = Math.max(MIN_PINCH_PX, width);
        this.#target.pinchStarted(middle);
      } else this.#target.hover(at);
      return;
    }
    if (event.button !== 0) return;
    const kind = this.#target.dragKind(event);
    if (kind) this.#drag = { id: event.pointerId, kind, from: at, isMoving: false };
  }

  #move(event: PointerEvent): void {
    const at = this.#pointOf(event);
    if (this.#pointers.has(event.pointerId)) this.#pointers.set(event.pointerId, at);
    if (this.#pinchWidth !== undefined && this.#pointers.size === 2) {
      const { width, middle } = this.#fingers();
      this.#target.pinched(this.#pinchWidth / Math.max(MIN_PINCH_PX, width), middle);
      return;
    }
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) {
      this.#target.hover(at);
      return;
    }
    if (!drag.isMoving && Math.abs(at.x - drag.from.x) + Math.abs(at.y - drag.from.y) < DRAG_FROM_PX) return;
    if (!drag.isMoving) this.#element.setPointerCapture(event.pointerId);
    drag.isMoving = true;
    this.#target.dragged(drag.kind, drag.from, at);
  }

  #up(event: PointerEvent): void {
    this.#forget(event.pointerId);
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) return;
    this.#drag = undefined;
    if (!drag.isMoving) return;
    this.#justDragged = true;
    this.#target.dropped(drag.kind, drag.from, this.#pointOf(event));
  }

  #lost(event: PointerEvent): void {
    this.#forget(event.pointerId);
    if (this.#drag?.id !== event.pointerId) return;
    const wasMoving = this.#drag.isMoving;
    this.#drag = undefined;
    if (wasMoving) this.#target.dragCancelled();
  }

  #left(event: PointerEvent): void {
    if (event.pointerType !== 'touch' && !this.#drag?.isMoving) this.#target.leave();
  }

  #pressed({ target }: PointerEvent): void {
    if (!this.#isTouched || (target instanceof Node && this.#element.contains(target))) return;
    this.#isTouched = false;
    this.#target.leave();
  }

  #forget(pointer: number): void {
    this.#pointers.delete(pointer);
    if (this.#pointers.size < 2) this.#pinchWidth = undefined;
  }

  #click(event: MouseEvent): void {
    if (this.#justDragged) event.stopPropagation();
    else this.#target.click(this.#pointOf(event));
    this.#justDragged = false;
  }

  /** Browsers report a pinch on a touchpad as a wheel with Ctrl held. */
  #wheel(event: WheelEvent): void {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 16 : event.deltaY;
    const bounded = Math.max(-200, Math.min(200, pixels));
    this.#target.scale(Math.exp(bounded * WHEEL_STEP), this.#pointOf(event));
  }

  #fingers(): { readonly width: number; readonly middle: PlotPoint } {
    const [a = { x: 0, y: 0 }, b = a] = [...this.#pointers.values()];
    return { width: Math.hypot(a.x - b.x, a.y - b.y), middle: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } };
  }
}
