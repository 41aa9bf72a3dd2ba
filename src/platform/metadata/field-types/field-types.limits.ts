/** The most items of a list in a payload, and those of one that does not say how many it may have. */
export const MAX_LIST_ITEMS = 100;

/** The most fields that the items of such a list may have. */
export const MAX_ITEM_FIELDS = 50;
