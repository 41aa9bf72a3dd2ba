// What a test failed over is gone by the time it is read about: it is told at once, with the failure.

/** @type {(() => Promise<string>)[]} */
const witnesses = [];

/**
 * Adds what this tells to each failure of a test; nothing where it is empty.
 * @param {() => Promise<string>} tell
 */
exports.whenATestFails = (tell) => void witnesses.push(tell);

/** @param {unknown} error */
exports.addWhatWasSeen = async (error) => {
  if (!(error instanceof Error)) return;
  for (const tell of witnesses) {
    const seen = await tell().catch(({ message }) => message);
    if (seen !== '') error.stack = `${error.stack}\n\n${seen}`;
  }
};
