import {expect, test} from 'vitest';
import {previewLine} from '../../../source/nouns/approval/preview-lines.ts';

test.for([
	['echo a  ', 'command', undefined, 'echo a··', 0],
	['a b\r', 'command', undefined, 'a b␍', 0],
	['a  \r', 'command', undefined, 'a··␍', 0],
	['\ta\t', 'command', undefined, '␉ a␉ ', 0],
	['   ', 'command', undefined, '···', 0],
	['+  ', 'change', '+', '··', 0],
	['-a ', 'change', '-', 'a·', 0],
	['rm\u{a0}-rf\u{2028}/', 'command', undefined, String.raw`rm\u{a0}-rf\u{2028}/`, 2],
	['a \u{a0}', 'command', undefined, String.raw`a \u{a0}`, 1],
] as const)('%j of a %s is shown as it is', ([line, title, sign, text, flags]) => {
	expect(previewLine(line, {title})).toEqual({sign, text, flags});
});

test('a line of blanks takes no time that grows with its square', () => {
	const line = `true #${' '.repeat(2_000_000)}; evil`;

	expect(previewLine(line, {title: 'command'}).text.endsWith(' ; evil')).toBe(true);
});
