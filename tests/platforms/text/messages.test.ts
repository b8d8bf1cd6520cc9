import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {matrix} from '../../../source/platforms/matrix/dialect.ts';
import {type CardElement, teams} from '../../../source/platforms/teams/dialect.ts';
import type {Format, Renderer} from '../../../source/platforms/text/dialect.ts';
import * as dialects from '../../../source/platforms/text/dialects.ts';
import {messagesOf} from '../../../source/platforms/text/messages.ts';
import {parseMarkdown} from '../../../source/platforms/text/parse.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {
	lettersOf,
	shownCard,
	shownHtml,
	shownMarkdown,
	shownSignal,
	textOfTree,
	withoutEntities,
} from './shown.ts';

const {discord, googlechat, mattermost, plainText, rocketchat, slack, telegram, zulip} = dialects;

const split = <Output = string>(
	text: string,
	limit: number,
	{
		dialect,
		maxParts = 1000,
		format = 'markdown',
	}: {dialect: Renderer<Output>; maxParts?: number; format?: Format},
) => messagesOf(text, {dialect, limit, maxParts, format});

describe('a long text is cut', () => {
	test.for([
		['between blocks', 'One.\n\nTwo.\n\nThree.', 12, ['One.\n\nTwo.', 'Three.']],
		[
			'so that a heading stays with what follows it',
			'One.\n\n# Two\n\nThree four.',
			20,
			['One.', '# Two\n\nThree four.'],
		],
		[
			'between items, which keep their numbers',
			'8. one\n9. two\n10. three\n11. four',
			16,
			['8. one\n9. two', '10. three', '11. four'],
		],
		[
			'inside of an item that is too long alone, whose rest has no sign',
			'- one\n- two three four five\n- six',
			16,
			['- one\n- two', 'three four five', '- six'],
		],
		[
			'between the lines of code, in two blocks of one language',
			'```js\none();\ntwo();\nthree();\n```',
			28,
			['```js\none();\ntwo();\n```', '```js\nthree();\n```'],
		],
		['between the lines of a quote', '> one\n> two\n> three', 13, ['> one\n> two', '> three']],
		['after a sentence', 'One two three. Four five six.', 22, ['One two three.', 'Four five six.']],
		['between words', 'one two three four', 9, ['one two', 'three', 'four']],
		[
			'inside of marks, which end in each part',
			'**one two three four**',
			13,
			['**one two**', '**three**', '**four**'],
		],
		[
			'inside of a link, which both parts are',
			'[one two](https://e.x)',
			22,
			['[one](<https://e.x>)', '[two](<https://e.x>)'],
		],
		['between graphemes', '👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 20, ['👨‍👩‍👧👨‍👩‍👧', '👨‍👩‍👧']],
		[
			'between code points, where a grapheme has no room',
			`a${'\u0301'.repeat(5)}`,
			4,
			['a\u0301\u0301\u0301', '\u0301\u0301'],
		],
		['without marks, where these have no room', '- > **abc** def', 4, ['abc', 'def']],
	] as const)('%s', ([, text, limit, parts]) => {
		expect(split(text, limit, {dialect: discord})).toEqual(parts);
	});

	test('between rows of a table, under its header again', () => {
		expect(split('| k | v |\n|---|---|\n| a | 1 |\n| b | 2 |', 40, {dialect: mattermost})).toEqual([
			'| k | v |\n| --- | --- |\n| a | 1 |',
			'| k | v |\n| --- | --- |\n| b | 2 |',
		]);
	});

	test('a table is lines, where no row or no screen has room for its columns', () => {
		const wide = `| k | v |\n|---|---|\n| a | ${'word '.repeat(20)}|`;

		expect(split(wide, 60, {dialect: mattermost})[0]).toMatch(/^k: a\nv: word word/);
		expect(split(wide, 4000, {dialect: discord})).toEqual([
			`k: a\nv: ${'word '.repeat(20).trim()}`,
		]);
	});

	test('in the unit of its platform', () => {
		const four = '\u{1f600}\u{1f600}\u{1f600}\u{1f600}';

		expect(split(four, 4, {dialect: discord})).toHaveLength(2);
		expect(split(four, 4, {dialect: mattermost})).toHaveLength(1);
		expect(split(four, 8, {dialect: googlechat})).toHaveLength(2);
		expect(split('**a** `b`', 3, {dialect: telegram})).toEqual(['<b>a</b> <code>b</code>']);
		const body = {...discord, measure: (text: string) => JSON.stringify({text}).length};
		expect(split('"a" "b" "c"', 20, {dialect: body})).toEqual(['"a"', '"b"', '"c"']);
	});

	test('into so many parts, of which the last one says how long the whole text is', () => {
		const words = 'word '.repeat(100).trim();
		const parts = split(words, 80, {dialect: plainText, maxParts: 3});

		expect(parts).toHaveLength(3);
		expect(parts[2]).toMatch(/^word [^[]*\n\n\[cut: the whole text has 499 characters\]$/);
		expect(parts.every(({length}) => length <= 80)).toBe(true);
		expect(split(words, 499, {dialect: plainText, maxParts: 1})).toEqual([words]);
	});
});

describe('`format: plain` sends a text as it is', () => {
	const text = '# not *a* heading\n\n  - <b>\n@all\n\tx';

	test.for([
		['telegram, which has a mode for that', telegram, text.replace('@', '＠')],
		['slack', slack, text.replace('<b>', '&lt;b&gt;')],
		['mail and SMS', plainText, text],
		[
			'discord, which knows only Markdown',
			discord,
			'\\# not \\*a\\* heading\n\n\u00a0\u00a0- \\<b>\n@all\n\u00a0x',
		],
	] as const)('%s', ([, dialect, expected]) => {
		expect(split(text, 1000, {dialect, format: 'plain'})).toEqual([expected]);
	});

	test('cut after lines and words', () => {
		expect(split('one\n  two\nthree four', 9, {dialect: plainText, format: 'plain'})).toEqual([
			'one\n  two',
			'three',
			'four',
		]);
	});

	test('matrix without HTML, teams in one block', () => {
		expect(split('*a*', 1000, {dialect: matrix, format: 'plain'})).toEqual([{body: '*a*'}]);
		expect(split('*a*', 1000, {dialect: teams, format: 'plain'})).toEqual([
			[{type: 'TextBlock', text: '\\*a\\*', wrap: true}],
		]);
	});
});

test('a text of which nothing would be seen is sent as it is', () => {
	for (const text of ['[a]: https://e.x', '```js\n```', '&nbsp;', '#', ' ']) {
		expect(split(text, 1000, {dialect: plainText})).toEqual([text]);
	}
});

test.for([
	['an exclamation mark in front of a link', '!![a](https://e.x)', '\\![a](https://e.x)'],
	['a sharp at the end of a heading', '# a \\#', '# a #\u200b'],
	['a link of blanks', '[&nbsp;](https://e.x)', '[\u00a0https://e.x](https://e.x)'],
	['a rule in an item', '- ***\n- b', '- ***\n- b'],
	['a list that does not end a paragraph', '- a\n\n  2) b', '- a\n\n  2. b'],
	['lists that follow each other', '- a\n\n* b', '- a\n\n* b'],
	['the line below a table', 'a \\| b\n\\:-', 'a \\| b\n\\:-'],
	['a bar in code in a table', '|a|\n|-|\n|`b\\|c`|', '| a |\n| --- |\n| `b\\|c` |'],
	['backticks in code', '`` a`b ``', '``a`b``'],
	['a fence in code', '````\n```\n````', '````\n```\n````'],
	['marks beside each other', '**a**_b_', '**a**b'],
	['marks that end in blanks', '*a **b*** c', '*a **b*** c'],
	['an entity that is text', '&amp;lt; &amp;', '\\&lt; &'],
	['an address in text', 'https://e.x/a_b_?c=*', 'https://e.x/a_b_?c=\\*'],
	['an info string that names no language', '```a b\nc\n```', '```\na b\nc\n```'],
] as const)('Markdown has no other meaning when it is rendered: %s', ([, text, expected]) => {
	expect(split(text, 1000, {dialect: mattermost})).toEqual([expected]);
});

test('code stays code and a quote one quote, whatever they hold', () => {
	const fence = '````js\n```\n@**all**\n````';

	expect(split(fence, 1000, {dialect: discord})).toEqual(['```js\n`\u200b``\n@**all**\n```']);
	expect(split('```quote\n@**all**\n```', 1000, {dialect: zulip})).toEqual(['```\n@**all**\n```']);
	expect(split('> a\n>\n> > b', 1000, {dialect: telegram})).toEqual([
		'<blockquote>a\n\nb</blockquote>',
	]);
});

/** What readers see of a message; the languages of code that are none. */
const seen: Readonly<Record<string, (message: never) => string>> = {
	telegram: shownHtml,
	slack: (text: string) => withoutEntities(text.replaceAll(/<[^|>]*\|([^>]*)>/g, '$1')),
	zulip: (text: string) => shownMarkdown(text.replaceAll('\\', '\\\\')),
	rocketchat: (text: string) =>
		text.replaceAll(/^[ >]*```[^\n]*\n(.*?)^[ >]*```$|(?<!\\)(`[^`\n]*`)|\]\([^)]*\)/gms, '$1$2'),
	matrix: ({formatted_body: html = ''}: {formatted_body?: string}) => shownHtml(html),
	teams: (elements: readonly CardElement[]) => shownCard(elements),
	...Object.fromEntries(
		['discord', 'mattermost', 'googlechat', 'feishu', 'wecom', 'dingtalk'].map(name => [
			name,
			shownMarkdown,
		]),
	),
};

const strings = {...dialects};

const renderers = Object.entries({...strings, matrix, teams}) as ReadonlyArray<
	readonly [string, Renderer]
>;

const see = (name: string, message: unknown): string =>
	seen[name]?.(message as never) ?? (message as string);

const pieces = fc.constantFrom(
	'word ',
	'Ünï ',
	'日本語。',
	'7',
	'\u{1f600}',
	'👨‍👩‍👧',
	'longwordlongwordlongword',
	'. ',
	'\n',
	'\n\n',
	'\n    ',
	'  ',
	'\t',
	'\u00a0',
	'&#32;',
	'&nbsp;',
	'\\',
	'\\\n',
	'**',
	'*',
	'_',
	'__',
	'~~',
	'`',
	'``',
	'```\n',
	'```js\n',
	'~~~quote\n',
	'"',
	'!',
	')',
	'- ',
	'* ',
	'1. ',
	'5) ',
	'> ',
	'# ',
	'## ',
	'---\n',
	'===\n',
	':-',
	'+ ',
	'=',
	'#',
	'[a](https://e.x) ',
	'[b',
	'](https://l.x/y_z)',
	'](javascript:x)',
	'![i](https://i.x)',
	'<b>',
	'<https://q.x>',
	'&amp;',
	'&lt;',
	'&copy;',
	'https://u.x/_a_*b*&lt; ',
	'$$',
	'|',
	'| - | - |\n|---|---|\n| r | s |\n| t | `u|v` |\n\n',
	'| * |\n|-|\n|',
	'@all',
	'&#64;all',
	'@**all**',
	'@`x`',
	'<!channel>',
	'<users/all>',
	'<at user_id="all">',
);

const texts = fc.array(pieces, {maxLength: 50}).map(list => list.join(''));

test.for(renderers)(
	'%s: for any text and limit all letters come in order, each part has room, and each is read for itself',
	([name, dialect]) => {
		// A card and two bodies take some room for themselves.
		const least = name === 'teams' || name === 'matrix' ? 260 : 64;
		fc.assert(
			fc.property(texts, fc.integer({min: 0, max: 500}), (text, more) => {
				const limit = least + more;
				const [whole, ...others] = split(text, Infinity, {dialect});
				const parts = split(text, limit, {dialect});

				expect(others).toEqual([]);
				expect(parts.filter(part => dialect.measure(part, 'markdown') > limit)).toEqual([]);
				expect(lettersOf(parts.map(part => see(name, part)).join(''))).toBe(
					lettersOf(see(name, whole)),
				);

				const some = split(text, limit, {dialect, maxParts: 2});
				const noted = lettersOf(`[cut: the whole text has ${text.length} characters]`);
				expect(some).toHaveLength(Math.min(parts.length, 2));
				expect(some.filter(part => dialect.measure(part, 'markdown') > limit)).toEqual([]);
				expect(lettersOf(see(name, some.at(-1))).endsWith(noted)).toBe(parts.length > 2);
			}),
			{numRuns: propertyRuns(400)},
		);
	},
);

test.for(['discord', 'mattermost', 'zulip', 'googlechat', 'feishu', 'wecom', 'dingtalk'] as const)(
	'%s: a parser of Markdown reads the letters of the text, whatever it holds',
	name => {
		fc.assert(
			fc.property(texts, text => {
				const dialect = strings[name];
				const letters = lettersOf(textOfTree(dialect.prepare(parseMarkdown(text))));
				const [message] = split(text, Infinity, {dialect});

				expect(letters === '' || lettersOf(see(name, message)) === letters).toBe(true);
			}),
			{numRuns: propertyRuns(400)},
		);
	},
);

test('Markdown that was rendered is rendered to itself', () => {
	const once = (text: string) => split(text, Infinity, {dialect: dialects.wecom}).join();
	fc.assert(
		fc.property(texts, text => {
			const first = once(text.replaceAll(/!|&nbsp;|&#32;|https:\/\/u/g, '?'));

			expect(once(first).replaceAll(/\s+/g, ' ').trim()).toBe(first.replaceAll(/\s+/g, ' ').trim());
		}),
		{numRuns: propertyRuns(400)},
	);
});

test('telegram: tags are those that it knows, each is closed in its part, and quotes have none inside', () => {
	fc.assert(
		fc.property(texts, fc.integer({min: 64, max: 300}), (text, limit) => {
			for (const html of split(text, limit, {dialect: telegram})) {
				const open: string[] = [];
				for (const [, end, name = ''] of html.matchAll(
					/<(\/?)(b|i|s|code|pre|a|blockquote)(?: (?:class="language-[\w+#.-]+"|href="[^"<>]+"))?>/g,
				)) {
					expect(end === '/' ? open.pop() : open.push(name) && name).toBe(name);
					expect(open.filter(one => one === 'blockquote').length).toBeLessThan(2);
				}

				expect(open).toEqual([]);
				expect(html.replaceAll(/<\/?[a-z]+(?: [^<>]*)?>/g, '')).not.toMatch(
					/[<>]|&(?!(?:amp|lt|gt);)/,
				);
			}
		}),
		{numRuns: propertyRuns(400)},
	);
});

/** What a platform would take for a mention, code apart where it is none there. */
const mentions = {
	telegram: (html: string) =>
		/(?<![A-Za-z0-9])@\w/.test(
			withoutEntities(
				html.replaceAll(/<(code|pre)>.*?<\/\1>|<a [^>]*>/gs, ' ').replaceAll(/<[^>]*>/g, ''),
			),
		) || html.includes('"tg:'),
	slack: (text: string) => /<[!@#]|<(?!(?:https?:|mailto:))/.test(text),
	mattermost: (text: string) => /(?<![A-Za-z0-9])@[A-Za-z0-9]/.test(shownMarkdown(text, false)),
	zulip: (text: string) => /@_?\*/.test(withoutCode(text)),
	rocketchat: (text: string) =>
		/(?<![A-Za-z0-9])@[A-Za-z0-9]/.test(text.replaceAll(/^```.*?^```$|`[^`\n]*`/gms, ' ')),
	googlechat: (text: string) => text.includes('<users/'),
	feishu: (text: string) => /<\/?at\b/i.test(text),
} as const;

/** Only what is code outside of quotes and lists is sure to be. */
const withoutCode = (text: string): string =>
	text
		.replaceAll(/^(`{3,}).*?^\1$/gms, ' ')
		.replaceAll(/(?<!`)(`+)(?!`)(?:(?!\n\n).)*?(?<!`)\1(?!`)/gs, ' ');

const hostile = [
	'@everyone @here @all @channel',
	'<!channel> <!here|x> <@U123> <#C1>',
	'<users/all> `<users/all>`',
	'@**all** @_**all** @*group* x@**all**',
	'<at user_id="all"></at> `<at user_id="all">` <AT id=all>',
	'&#64;all &commat;all &#x40;all &lt;!channel&gt; &lt;users/all&gt; &lt;at id=1&gt;',
	'\u200b@all @\u200ball \u2066@all\u2069 ü@all a.@all _@all_ **@**all @**all**',
	'[x](tg://user?id=1) [x](javascript:alert(1)) [x](data:text/html,x) ![x](file:///etc/passwd)',
	'[@all](https://e.x/@all) <https://e.x/@all> https://e.x/@all [a|b>c](https://e.x/|>x)',
	'`@all` ``@all` \\`@all` `@**all**` \\`@**all**`',
	'- ```\n  @all @**all**\n\n  @all @**all**\n  ```',
	'> ```\n> @all @**all**\n> ```\n> `@all`',
	'```quote\n@**all**\n```\n```spoiler\n@**all**\n```',
	'```\n@all',
	`${'x'.repeat(63)}@all ${'y'.repeat(70)}@all`,
	'| @all |\n|------|\n| `@all` \\| @all |',
	'<b>@all</b> <script>@all</script>',
];

test.for(Object.keys(mentions) as Array<keyof typeof mentions>)(
	'%s: no part of a hostile text mentions anybody',
	name => {
		const isLive = mentions[name];
		for (const text of hostile) {
			for (const format of ['markdown', 'plain'] as const) {
				for (const part of split(text, 64, {dialect: strings[name], format})) {
					expect(isLive(part) ? [text, part] : []).toEqual([]);
				}
			}
		}

		fc.assert(
			fc.property(texts, fc.integer({min: 64, max: 200}), (text, limit) => {
				expect(split(text, limit, {dialect: strings[name]}).filter(isLive)).toEqual([]);
			}),
			{numRuns: propertyRuns(400)},
		);
	},
);

test('a link leads to the web or to a mailbox; any other target is text', () => {
	expect(
		split(
			'[a](javascript:alert(1)) [b](tg://user?id=1) [c](docs/x.md) [d](mailto:o@e.x) ![e](data:x)',
			1000,
			{dialect: telegram},
		),
	).toEqual([
		'a (javascript:alert(1)) b (tg://user?id=1) c (docs/x.md) <a href="mailto:o@e.x">d</a> e (data:x)',
	]);
});

test('what is nested too deep is sent as it is written, and nothing of it is lost', () => {
	for (const text of [
		`${'> '.repeat(3000)}deep`,
		Array.from({length: 400}, (_, depth) => `${'  '.repeat(depth)}- a${depth}`).join('\n'),
		`${'- '.repeat(300)}deep`,
		'| a | b |\n|---|---|\n| c | d | e |',
		'```\nnever closed',
		`[a]: https://e.x\n\nseen [a]\n\n${'> '.repeat(3000)}deep [a]`,
		'*a**b'.repeat(8000),
	]) {
		const parts = split(text, 4000, {dialect: plainText});

		expect(lettersOf(parts.join(''))).toBe(lettersOf(text));
	}
});

test('what is rendered to cut a text is a few times the text, also where there is much of it', () => {
	const long = (part: string) => part.repeat(30_000 / part.length);
	for (const text of [
		long('Words of a sentence. '),
		long('x'),
		long('👨‍👩‍👧'),
		long('# a\n\n- b\n- **c**\n\n'),
		`| a | b |\n|---|---|\n${'| some cell | other cell |\n'.repeat(1500)}`,
		Array.from({length: 500}, (_, index) => `${'  '.repeat(index % 40)}- a`).join('\n'),
		long(`${'> '.repeat(40)}a b c\n`),
		`\`\`\`\n${long('let x = 1;\n')}\n\`\`\``,
		`Z${'\u0301'.repeat(30_000)}`,
	]) {
		let rendered = 0;
		const counting: Renderer = {
			...zulip,
			measure(message, format) {
				rendered += message.length;
				return zulip.measure(message, format);
			},
		};
		const parts = split(text, 2000, {dialect: counting, maxParts: 1000});
		const length = parts.reduce((sum, part) => sum + part.length, 0);
		expect(rendered).toBeLessThan(25 * length);
	}
});

/** Signs that platforms read as marks, and what stands around them. */
const signs = fc
	.array(fc.constantFrom('a', '7', ' ', '*', '**', '_', '~', '|', '||', '\\', '`', '<'), {
		maxLength: 12,
	})
	.map(list => list.join(''))
	.filter(text => text.trim() !== '');

/** What platforms without Markdown show, with a backtick where the platform has no way to write one in code. */
const withoutMarkup: ReadonlyArray<readonly [keyof typeof dialects, (text: string) => string]> = [
	['signal', text => shownSignal(text).shown.replaceAll('\u200b', '')],
	['plainText', text => text],
	['whatsapp', text => text.replaceAll(/`([^`]*)`/g, '$1').replaceAll('｀', '`')],
];

test.for(withoutMarkup)('%s: code is shown letter for letter', ([name, shown]) => {
	fc.assert(
		fc.property(signs, code => {
			const runs = [{text: 'a '}, {text: code, code: true}, {text: ' b'}];

			expect(shown(strings[name].render([{type: 'paragraph', runs}]))).toBe(`a ${code} b`);
		}),
		{numRuns: propertyRuns(400)},
	);
});

test('signal: each stretch is shown letter for letter, with its mark, whatever stands beside it', () => {
	const read = (blocks: Parameters<typeof dialects.signal.render>[0]) => {
		const {shown, marked} = shownSignal(dialects.signal.render(blocks));
		return [shown, ...marked.map(([sign, text]) => `${sign} ${text}`)].map(text =>
			text.replaceAll('\u200b', ''),
		);
	};

	fc.assert(
		fc.property(signs, signs, (one, other) => {
			const [strong, code] = [one.trim(), other];
			const runs = [{text: one}, {text: strong, strong: true}, {text: code, code: true}];
			const block = {type: 'code', language: '', text: `${one}\n${other}`} as const;

			expect(read([{type: 'paragraph', runs}])).toEqual([
				one + strong + code,
				`** ${strong}`,
				`\` ${code}`,
			]);
			expect(read([block])).toEqual([block.text, `\` ${one}`, `\` ${other}`]);
		}),
		{numRuns: propertyRuns(400)},
	);
});

test('targets that links repeat do not grow a text beyond measure, and one that is too long is no link', () => {
	const long = `https://x.example/${'y'.repeat(20_000)}`;
	for (const text of [`[a]: ${long}\n\n${'[a] '.repeat(10_000)}`, `[a](${long})`]) {
		const messages = messagesOf(text, {
			dialect: telegram,
			limit: 4096,
			maxParts: 20,
			format: 'markdown',
		});
		expect(messages.join('').length).toBeLessThan(3 * text.length);
		expect(messages.join('')).not.toContain('href');
	}
});

test.for([
	'&#x202e;abc',
	'`&#x202e;`&#x202e;x',
	'[&#x202e;a](https://e.x)',
	'|a|\n|-|\n|&#x202e;b&#13;c|',
])('what entities of %j stand for is cleaned, too', text => {
	const [message = ''] = messagesOf(text, {
		dialect: rocketchat,
		limit: 4096,
		maxParts: 1,
		format: 'markdown',
	});
	expect(message).not.toMatch(/[\u202e\r]/);
});
