import {expect, test} from 'vitest';
import {matrix} from '../../../source/platforms/matrix/dialect.ts';
import {teams} from '../../../source/platforms/teams/dialect.ts';
import type {Renderer} from '../../../source/platforms/text/dialect.ts';
import * as dialects from '../../../source/platforms/text/dialects.ts';
import {messagesOf} from '../../../source/platforms/text/messages.ts';

const rendered = <Output>(text: string, dialect: Renderer<Output>) =>
	messagesOf(text, {dialect, limit: 10_000, maxParts: 20, format: 'markdown'});

/** Each element of Markdown, and what no platform may take for one. */
const elements = {
	marks: '**x** *y* ~~z~~ **a *b* c**',
	inWords: 'a**b**c *"d"*e',
	heading: '## Title `now`\n\nText',
	link: '[text](https://e.x/a_b) <https://e.x>',
	code: 'a `b<c`',
	codeBlock: '```ts\nif (a < b) {\n  c();\n}\n```',
	list: '- a\n- b\n  1. c\n\n3. d\n4. e',
	quote: '> a\n> **b**',
	table: '| k | v |\n| - | - |\n| a | `1` |\n| b | 2 |',
	rule: 'a\n\n---\n\nb',
	special: '1 \\* 2 < 3 && a_b _ [c] \\# | ~ \\\\ \\`',
	lineStarts: '1\\. a\n\\- b\n\\# c\n\\> d',
	mentions: '@all &#64;all @**all** (<!channel>) <users/all> <at user_id="all"> a@b.c `@x`',
} as const;

type Written = Readonly<Record<keyof typeof elements, string>>;

const commonMark: Written = {
	marks: '**x** *y* ~~z~~ **a *b* c**',
	inWords: 'a**b**c \\*"d"\\*e',
	heading: '## Title `now`\n\nText',
	link: '[text](https://e.x/a_b) [https://e.x](https://e.x)',
	code: 'a `b<c`',
	codeBlock: '```ts\nif (a < b) {\n  c();\n}\n```',
	list: '- a\n- b\n  1. c\n\n3. d\n4. e',
	quote: '> a\n> **b**',
	table: '```\nk  v\n-  -\na  1\nb  2\n```',
	rule: 'a\n\n---\n\nb',
	special: '1 \\* 2 \\< 3 && a_b \\_ \\[c\\] # \\| \\~ \\\\ \\`',
	lineStarts: '1\\. a\n\\- b\n\\# c\n\\> d',
	mentions: '@all @all @**all** (\\<!channel>) \\<users/all> \\<at user_id="all"> a@b.c `@x`',
};

const singleSigns: Written = {
	marks: '*x* _y_ ~z~ *a _b_ c*',
	inWords: 'abc *"d"*e',
	heading: '*Title* `now`\n\nText',
	link: 'text (https://e.x/a_b) https://e.x',
	code: 'a `b<c`',
	codeBlock: '```\nif (a < b) {\n  c();\n}\n```',
	list: '• a\n• b\n  1. c\n\n3. d\n4. e',
	quote: '> a\n> *b*',
	table: '```\nk  v\n-  -\na  1\nb  2\n```',
	rule: 'a\n\n———\n\nb',
	special: '1 * 2 < 3 && a_b _ [c] # | ~ \\ `',
	lineStarts: '1. a\n- b\n# c\n> d',
	mentions: '@all @all @*all* (<!channel>) <users/all> <at user_id="all"> a@b.c `@x`',
};

const written: Readonly<Record<keyof typeof dialects, Written>> = {
	telegram: {
		...singleSigns,
		marks: '<b>x</b> <i>y</i> <s>z</s> <b>a <i>b</i> c</b>',
		inWords: 'a<b>b</b>c *"d"*e',
		heading: '<b>Title</b> <code>now</code>\n\nText',
		link: '<a href="https://e.x/a_b">text</a> <a href="https://e.x">https://e.x</a>',
		code: 'a <code>b&lt;c</code>',
		codeBlock: '<pre><code class="language-ts">if (a &lt; b) {\n  c();\n}</code></pre>',
		quote: '<blockquote>a\n<b>b</b></blockquote>',
		table: '<pre>k  v\n-  -\na  1\nb  2</pre>',
		special: '1 * 2 &lt; 3 &amp;&amp; a_b _ [c] # | ~ \\ `',
		lineStarts: '1. a\n- b\n# c\n&gt; d',
		mentions:
			'＠all ＠all ＠<b>all</b> (&lt;!channel&gt;) &lt;users/all&gt; &lt;at user_id="all"&gt; a@b.c <code>@x</code>',
	},
	slack: {
		...singleSigns,
		link: '<https://e.x/a_b|text> <https://e.x|https://e.x>',
		code: 'a `b&lt;c`',
		codeBlock: '```\nif (a &lt; b) {\n  c();\n}\n```',
		special: '1 * 2 &lt; 3 &amp;&amp; a_b _ [c] # | ~ \\ `',
		lineStarts: '1. a\n- b\n# c\n&gt; d',
		mentions:
			'@all @all @*all* (&lt;!channel&gt;) &lt;users/all&gt; &lt;at user_id="all"&gt; a@b.c `@x`',
	},
	whatsapp: singleSigns,
	signal: {
		...singleSigns,
		marks: '**x** *y* ~z~ **a b c**',
		inWords: 'a**b**c \\*"d"\\*e',
		heading: '**Title** `now`\n\nText',
		codeBlock: '`if (a < b) {`\n`  c();`\n`}`',
		quote: '> a\n> **b**',
		table: 'k: a\nv: `1`\n\nk: b\nv: 2',
		special: '1 \\* 2 < 3 && a_b _ [c] # \\| \\~ \\ \\`',
		mentions: '@all @all @**all** (<!channel>) <users/all> <at user_id="all"> a@b.c `@x`',
	},
	plainText: {
		...singleSigns,
		marks: 'x y z a b c',
		heading: 'Title now\n\nText',
		code: 'a b<c',
		codeBlock: 'if (a < b) {\n  c();\n}',
		list: '- a\n- b\n  1. c\n\n3. d\n4. e',
		quote: '> a\n> b',
		table: 'k: a\nv: 1\n\nk: b\nv: 2',
		rule: 'a\n\n---\n\nb',
		mentions: '@all @all @all (<!channel>) <users/all> <at user_id="all"> a@b.c @x',
	},
	discord: {
		...commonMark,
		link: '[text](<https://e.x/a_b>) <https://e.x>',
	},
	mattermost: {
		...commonMark,
		table: '| k | v |\n| --- | --- |\n| a | `1` |\n| b | 2 |',
		mentions: '＠all ＠all ＠**all** (\\<!channel>) \\<users/all> \\<at user_id="all"> a@b.c `@x`',
	},
	zulip: {
		...commonMark,
		inWords: 'a**b**c &#42;"d"&#42;e',
		table: '| k | v |\n| --- | --- |\n| a | `1` |\n| b | 2 |',
		special: '1 &#42; 2 &#60; 3 && a_b &#95; &#91;c&#93; # &#124; &#126; &#92; &#96;',
		lineStarts: '1&#46; a\n&#45; b\n&#35; c\n&#62; d',
		mentions:
			'＠all ＠all ＠**all** (&#60;!channel>) &#60;users/all> &#60;at user_id="all"> a@b.c `@x`',
	},
	rocketchat: {
		...commonMark,
		marks: '*x* _y_ ~z~ *a _b_ c*',
		inWords: 'abc \\*"d"\\*e',
		heading: '*Title* `now`\n\nText',
		quote: '> a\n> *b*',
		special: '1 \\* 2 < 3 && a\\_b \\_ [c]\u200b # | \\~ \\\u200b \\`',
		lineStarts: '1\\. a\n\u200b- b\n\\# c\n\u200b> d',
		mentions: '＠all ＠all ＠*all* (<!channel>) <users/all> <at user\\_id="all"> a@b.c `@x`',
	},
	googlechat: {
		...commonMark,
		special: '1 \\* 2 ‹ 3 && a_b \\_ \\[c\\] # \\| \\~ \\\\ \\`',
		mentions: '@all @all @**all** (‹!channel>) ‹users/all> ‹at user_id="all"> a@b.c `@x`',
	},
	feishu: {
		...commonMark,
		special: '1 \\* 2 &lt; 3 && a_b \\_ \\[c\\] # \\| \\~ \\\\ \\`',
		mentions: '@all @all @**all** (&lt;!channel>) &lt;users/all> &lt;at user_id="all"> a@b.c `@x`',
	},
	wecom: {
		...commonMark,
		marks: '**x** *y* z **a *b* c**',
		table: '| k | v |\n| --- | --- |\n| a | `1` |\n| b | 2 |',
	},
	dingtalk: {
		...commonMark,
		marks: '**x** *y* z **a *b* c**',
		heading: '## Title now\n\nText',
		code: 'a b\\<c',
		quote: '> a  \n> **b**',
		lineStarts: '1\\. a  \n\\- b  \n\\# c  \n\\> d',
		codeBlock: '> if (a \\< b) {  \n> \u00a0\u00a0c();  \n> }',
		table: 'k: a  \nv: 1\n\nk: b  \nv: 2',
		mentions: '@all @all @**all** (\\<!channel>) \\<users/all> \\<at user_id="all"> a@b.c @x',
	},
};

test.for(Object.entries(dialects))('what %s makes of each element', ([name, dialect]) => {
	expect(
		Object.fromEntries(
			Object.entries(elements).map(([element, text]) => [element, rendered(text, dialect).join()]),
		),
	).toEqual(written[name as keyof typeof written]);
});

const html: Written = {
	marks: '<p><strong>x</strong> <em>y</em> <del>z</del> <strong>a <em>b</em> c</strong></p>',
	inWords: '<p>a<strong>b</strong>c *"d"*e</p>',
	heading: '<h2>Title <code>now</code></h2><p>Text</p>',
	link: '<p><a href="https://e.x/a_b">text</a> <a href="https://e.x">https://e.x</a></p>',
	code: '<p>a <code>b&lt;c</code></p>',
	codeBlock: '<pre><code class="language-ts">if (a &lt; b) {\n  c();\n}</code></pre>',
	list: '<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul><ol start="3"><li>d</li><li>e</li></ol>',
	quote: '<blockquote><p>a<br><strong>b</strong></p></blockquote>',
	table:
		'<table><thead><tr><th>k</th><th>v</th></tr></thead><tbody><tr><td>a</td><td><code>1</code></td></tr><tr><td>b</td><td>2</td></tr></tbody></table>',
	rule: '<p>a</p><hr><p>b</p>',
	special: '<p>1 * 2 &lt; 3 &amp;&amp; a_b _ [c] # | ~ \\ `</p>',
	lineStarts: '<p>1. a<br>- b<br># c<br>&gt; d</p>',
	mentions:
		'<p>@all @all @<strong>all</strong> (&lt;!channel&gt;) &lt;users/all&gt; &lt;at user_id="all"&gt; a@b.c <code>@x</code></p>',
};

test('matrix has a text in HTML, and one without marks', () => {
	for (const [element, text] of Object.entries(elements)) {
		const [message] = rendered(text, matrix);

		expect(message).toEqual({
			body: written.plainText[element as keyof Written],
			formatted_body: html[element as keyof Written],
		});
	}
});

const textBlock = (text: string, more: object = {}) => ({
	type: 'TextBlock',
	text,
	wrap: true,
	...more,
});

const cards: Readonly<Record<keyof typeof elements, readonly object[]>> = {
	marks: [textBlock('**x** _y_ z **a _b_ c**')],
	inWords: [textBlock('a**b**c \\*"d"\\*e')],
	heading: [textBlock('Title now', {weight: 'Bolder', size: 'Medium'}), textBlock('Text')],
	link: [textBlock('[text](https://e.x/a_b) [https://e.x](https://e.x)')],
	code: [textBlock('a b\\<c')],
	codeBlock: [{type: 'CodeBlock', codeSnippet: 'if (a < b) {\n  c();\n}', language: 'TypeScript'}],
	list: [textBlock('- a\r- b\r  1. c'), textBlock('3. d\r4. e')],
	quote: [{type: 'Container', style: 'emphasis', items: [textBlock('a\n\n**b**')]}],
	table: [{type: 'CodeBlock', codeSnippet: 'k  v\n-  -\na  1\nb  2', language: 'PlainText'}],
	rule: [textBlock('a'), textBlock(' ', {separator: true}), textBlock('b')],
	special: [textBlock('1 \\* 2 \\< 3 && a_b \\_ \\[c\\] # \\| \\~ \\\\ \\`')],
	lineStarts: [textBlock('1\\. a\n\n\\- b\n\n\\# c\n\n\\> d')],
	mentions: [
		textBlock('@all @all @**all** (\\<!channel>) \\<users/all> \\<at user_id="all"> a@b.c @x'),
	],
};

test('teams has elements of a card', () => {
	expect(
		Object.fromEntries(
			Object.entries(elements).map(([element, text]) => [element, rendered(text, teams)[0]]),
		),
	).toEqual(cards);
});
