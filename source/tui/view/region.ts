/** The cells that a part of the screen has. */
export type RegionProps = {readonly width: number; readonly height: number};
