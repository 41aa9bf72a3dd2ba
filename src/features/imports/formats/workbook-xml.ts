import type { Readable } from 'node:stream';
import sax, { type SAXParser, type Tag } from 'sax';
import { text } from '../../../foundation/i18n/text.ts';
import { MAX_XML_ATTRIBUTES, MAX_XML_DEPTH } from '../imports.limits.ts';
import { unreadable } from './import-row.ts';

export type Attributes = Readonly<Record<string, string>>;

/** What is done at the tags of a part, by their names without prefix. */
export interface Handlers {
  /** @param parent the name of the tag around it; '' for the outermost */
  readonly open?: (name: string, attributes: Attributes, parent: string) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/**
 * Reads a part, piece by piece. Entities beyond those of XML itself are errors, and so is any DOCTYPE.
 * @throws VALIDATION_ERROR beyond a limit; whatever sax and the decoder throw
 */
export async function* parsed(part: Readable, handlers: Handlers): AsyncGenerator<void> {
  const parser = parserFor(handlers);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of part as AsyncIterable<Buffer>) {
    parser.write(decoder.decode(chunk, { stream: true }));
    yield;
  }
  parser.write(decoder.decode()).close();
}

function parserFor(handlers: Handlers): SAXParser {
  const parser: SAXParser = sax.parser(true, { position: false });
  const around: string[] = [];
  let attributes = 0;
  parser.onopentagstart = () => {
    attributes = 0;
    if (around.length >= MAX_XML_DEPTH)
      throw unreadable(text('nests its XML deeper than {max} levels', { max: MAX_XML_DEPTH }));
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > MAX_XML_ATTRIBUTES)
      throw unreadable(text('has an XML tag with more than {max} attributes', { max: MAX_XML_ATTRIBUTES }));
  };
  parser.onopentag = (tag) => {
    const name = localName(tag.name);
    handlers.open?.(name, (tag as Tag).attributes, around.at(-1) ?? '');
    around.push(name);
  };
  parser.onclosetag = (name) => {
    around.pop();
    handlers.close?.(localName(name));
  };
  parser.ontext = (given) => handlers.text?.(given);
  parser.oncdata = (given) => handlers.text?.(given);
  parser.ondoctype = () => {
    throw unreadable('is not a workbook that can be read');
  };
  parser.onerror = (error) => {
    throw error;
  };
  return parser;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

export async function readAll(part: Readable, handlers: Handlers): Promise<void> {
  for await (const _ of parsed(part, handlers));
}
