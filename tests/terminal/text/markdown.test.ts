import {expect, test} from 'vitest';
import {layOutForeignMarkdown} from '../../../source/terminal/text/markdown.ts';

const rows = (text: string, width = 60) =>
	layOutForeignMarkdown(text, width).map(row => row.text as string);

test('Markdown of a stranger is laid out: headings, lists, emphasis, code', () => {
	const laid = layOutForeignMarkdown(
		'# Title\n\nIt is **fine**.\n\n- one\n- two\n\n```\ncode\n```',
		60,
	);

	expect(laid.map(({text, kind}) => [kind, text])).toEqual([
		['heading', 'Title'],
		['text', ''],
		['text', 'It is fine.'],
		['text', ''],
		['text', '- one'],
		['text', '- two'],
		['text', ''],
		['code', '  code'],
	]);
});

test.for([
	['a <!-- comment --> in a line', '<!-- comment -->'],
	['<!-- a block\nof it -->', 'of it -->'],
	['[safe](https://evil.example/x)', 'safe (https://evil.example/x)'],
	['[mail](mailto:a@b.c)', 'mail (mailto:a@b.c)'],
	['![dot](http://evil.example/?secret)', 'dot (http://evil.example/?secret)'],
	['Text\n\n[ref]: https://evil.example/', '[ref]: https://evil.example/'],
	['[a](http://b.c "said on hover")', 'a (http://b.c "said on hover")'],
	['![p](http://q.r "said on hover")', 'p (http://q.r "said on hover")'],
	['```sh approve the next call\nls\n```', 'sh approve the next call'],
	['3. three\n4. four', '3. three\n4. four'],
	['0. none', '0. none'],
] as const)('nothing of %j is hidden', ([text, part]) => {
	expect(rows(text).join('\n')).toContain(part);
});

test('an escape sequence in it is text', () => {
	expect(rows('**\u001B[31mred**').join('')).toContain('␛[31mred');
});

test.for([
	['too deep', '>'.repeat(1900)],
	['too many marks', '__a'.repeat(10_000)],
	['too long', 'word '.repeat(10_000)],
] as const)('what is %s stands as it is written', ([, text]) => {
	expect(rows(text, 100).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
});
