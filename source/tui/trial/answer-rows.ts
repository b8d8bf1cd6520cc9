import {createMemory} from '../../core/derive.ts';
import type {Safe} from '../../core/untrusted.ts';
import {safe} from '../../terminal/text/safe.ts';
import {line, wrapText, type Line} from '../lines/line.ts';

const remember = createMemory<readonly Line[]>();

/** What a tool answered as rows of `width` cells; the last that was laid out is kept. */
export const answerRows = (text: Safe, width: number): readonly Line[] =>
	remember([text, width], () => wrapText(text, width - 2).map(row => line(safe` ${row}`)));
