import { text } from '../../../foundation/i18n/text.ts';
import { MAX_ROW_LENGTH } from '../imports.limits.ts';
import { unreadable } from './import-row.ts';

/** Collects the text of a shared text or a cell: that of its runs, without how it is pronounced. */
export class TextReader {
  #text = '';
  #isText = false;
  #isPhonetic = false;

  begin(): void {
    this.#text = '';
  }

  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true;
    this.#isText = name === 't' || name === 'v';
  }

  text(given: string): void {
    if (this.#isText && !this.#isPhonetic) this.#text += given;
    if (this.#text.length > MAX_ROW_LENGTH) {
      throw unreadable(text('has a cell of more than {max} characters', { max: MAX_ROW_LENGTH }));
    }
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false;
    this.#isText = false;
  }

  /** What XML cannot hold is written as `_x0001_` (ST_Xstring). */
  end(): string {
    return this.#text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  }
}
