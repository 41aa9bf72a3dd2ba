/** Tiles of one dashboard. Each is a request of its own. */
export const MAX_TILES = 24;
/** Columns that a tile names, and measures of its figures. */
export const MAX_COLUMNS = 8;
/** Rows of a data source that a tile shows. */
export const MAX_ROWS = 500;
/** Points of a trend. */
export const MAX_POINTS = 60;
export const USUAL_POINTS = 12;
/** Columns of the grid that tiles are laid out on. */
export const GRID = 12;
