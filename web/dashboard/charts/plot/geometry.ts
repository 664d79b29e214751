/** A place in the plot, in pixels of its own. */
export interface PlotPoint {
  readonly x: number;
  readonly y: number;
}

export interface PlotArea {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}
