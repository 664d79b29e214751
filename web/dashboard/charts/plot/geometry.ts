/** In CSS pixels of the plot. */
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
