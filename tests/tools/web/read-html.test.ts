import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {readHtml} from '../../../source/tools/web/page/read-html.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

const read = (html: string, url = 'https://site.example/docs/page') =>
	readHtml(html, {url, maxLength: 50_000});

test.for([
	['headings', '<h1>A <i>b</i></h1><h3>C</h3>', '# A *b*\n\n### C'],
	['paragraphs', '<p>one\n  two<p>three', 'one two\n\nthree'],
	['lists', '<ul><li>a<li>b<ol start=3><li>c</li></ol></ul>', '- a\n- b\n  3. c'],
	[
		'what stands in a list beside its items',
		'<ul>a<li>b</li><ul><li>c</ul><p>d</ul>',
		'a\n\n- b\n\n- c\n\nd',
	],
	['text beside cells', '<table><tr><td>a<td>b</tr>c</table>', 'a\n\nb\n\nc'],
	['more lists than nest', `${'<ul><li>'.repeat(600)}text`, `${'- '.repeat(12)}text`],
	['long items', '<ul><li><p>a</p><p>b</p><li>c</ul>', '- a\n\n  b\n- c'],
	['quotations', '<blockquote><p>a<p>b</blockquote>c', '> a\n>\n> b\n\nc'],
	['code', '<pre><code class="language-ts">a\n  `b`\n</code></pre>', '```ts\na\n  `b`\n```'],
	['fences in code', '<pre>```</pre>', '````\n```\n````'],
	['code in a line', '<p>a <code>b`c</code>', 'a ``b`c``'],
	['marks', '<p><b> a </b><em>b</em><del>c</del>', '**a** *b*~~c~~'],
	['line breaks', '<p>a<br>b', 'a\nb'],
	[
		'a table',
		'<table><tr><th>A<th>B<tr><td>1|2<td><a href=x>y</a></table>',
		'| A | B |\n| --- | --- |\n| 1\\|2 | [y](https://site.example/docs/x) |',
	],
	['a table for layout', '<table><tr><td><p>a</p><p>b</p></table>', 'a\n\nb'],
	['relative links', '<a href="../a b?c=(d)">e</a>', '[e](https://site.example/a%20b?c=%28d%29)'],
	['a base', '<base href="/base/"><a href=x>y</a>', '[y](https://site.example/base/x)'],
	[
		'links that are no pages',
		'<a href="javascript:a()">a</a> <a href=" data:x">b</a> <a href="#c">c</a>',
		'a b c',
	],
	['images', '<img src=x alt="a *picture*"><img src=y>', String.raw`a \*picture\*`],
	[
		'what is not shown',
		'<p hidden>a</p><p style="color:red; display: none">b</p><script>c</script><style>d</style><template>e</template><p aria-hidden=true>f</p><svg><title>g</title></svg>h',
		'h',
	],
	[
		'what looks like Markdown',
		'<p># a *b* _c_ d_e [f](g) &lt;b&gt;',
		String.raw`\# a \*b\* \_c\_ d_e \[f\](g) \<b>`,
	],
	[
		'entities',
		'<p>&lt;&amp;&eacute;&#x20ac;&#0;&nbsp;&#xd800;x',
		String.raw`<&é€` + '\ufffd \ufffdx',
	],
	['end tags that are missing', '<div><b>a<p>b</b>c</div>d', 'a\n\nbc\n\nd'],
	['nothing', '', ''],
] as const)('%s', ([, html, expected]) => {
	expect(read(html).text).toBe(expected);
});

const prose = 'A sentence of an article, which is long enough. '.repeat(10);

test('of a page with an article what surrounds it is left out, and its heading stays', () => {
	const {title, date, text} = read(
		`<title> The
		title </title><meta property="article:published_time" content="2026-01-02T03:04:05Z"><nav><a href=/>Home</a></nav><header><h1>Heading</h1></header><div class=page><div class="sidebar">Other things</div><main><p>${prose}<p>${prose}<aside>Buy this</aside></main></div><footer>Imprint</footer>`,
	);

	expect({title, date}).toEqual({title: 'The title', date: '2026-01-02T03:04:05Z'});
	expect(text).toBe(`# Heading\n\n${prose.trim()}\n\n${prose.trim()}`);
});

const text = prose.trim();
const body = `<div>${`<p>${text}</p>`.repeat(2)}</div>`;
const bodyText = `${text}\n\n${text}`;

test.for([
	[
		'main in an element that says it has a sidebar',
		`<div class="has-sidebar"><main>${body.repeat(3)}</main></div><div>${body}</div>`,
		Array(3).fill(bodyText).join('\n\n'),
	],
	['text in a form', `<main>${body}<form><p>TAIL</p></form></main>`, `${bodyText}\n\nTAIL`],
	['a page that is one form', `<nav>Menu</nav><form>${body}</form>`, bodyText],
	[
		'a section with the name of a surrounding',
		`<article>${body}<section class="market share"><p>TAIL</p></section></article>`,
		`${bodyText}\n\nTAIL`,
	],
	[
		'text of main around the element with most prose',
		`<main><p>INTRO</p>${body}<p>TAIL</p></main>`,
		`INTRO\n\n${bodyText}\n\nTAIL`,
	],
	[
		'a body that says it has a sidebar',
		`<body class="content-sidebar"><nav>Menu</nav>${body}`,
		bodyText,
	],
	[
		'a body with the name of a surrounding',
		`<body class="sidebar"><nav>Menu</nav>${body}`,
		bodyText,
	],
] as const)('of a page with an article stays: %s', ([, html, expected]) => {
	expect(read(html).text).toBe(expected);
});

test('a page without an article is read whole', () => {
	expect(read('<nav><a href=/a>A</a></nav><p>Short.</p><footer>End</footer>').text).toBe(
		'[A](https://site.example/a)\n\nShort.\n\nEnd',
	);
});

test('a date comes from what a page says of itself, in the end from its first time', () => {
	const linked = '<script type="application/ld+json">{"datePublished" : "2025-05-06"}</script>';

	expect(read(`<time datetime="2020-01-01">x</time>${linked}`).date).toBe('2025-05-06');
	expect(read('<time datetime="2020-01-01">x</time>').date).toBe('2020-01-01');
});

const tag = (names: readonly string[], ends: readonly string[]) =>
	fc
		.tuple(fc.constantFrom('<', '</'), fc.constantFrom(...names), fc.constantFrom(...ends))
		.map(parts => parts.join(''));

const names = 'p div table tr td ul li b pre br h2 blockquote'.split(' ');

const unseen = fc.constantFrom(
	'<script>SECRET</script>',
	'<p hidden>SECRET</p>',
	'<!--SECRET-->',
	'&amp;',
	'&#x110000;',
);

test('nothing of a script, a comment or a hidden element is read', () => {
	const words = fc.string({maxLength: 5}).map(each => each.replaceAll('<', ''));
	const piece = fc.oneof(tag(names, ['>', '/>']), unseen, words);

	fc.assert(
		fc.property(fc.array(piece, {maxLength: 40}), pieces => {
			expect(read(pieces.join('')).text).not.toContain('SECRET');
		}),
		{numRuns: propertyRuns(2000)},
	);
});

test('any tags are read: no exception', () => {
	const wild = tag([...names, 'a href=x', 'svg', 'title', 'select'], ['>', '/>', ' x=">', '']);
	const piece = fc.oneof(wild, unseen, fc.string({maxLength: 5}));

	fc.assert(
		fc.property(fc.array(piece, {maxLength: 40}), pieces => {
			expect(() => read(pieces.join(''))).not.toThrow();
		}),
		{numRuns: propertyRuns(2000)},
	);
});

test.for([
	['links', (link: string) => `<p>${link.repeat(5000)}`],
	['links in a mark', (link: string) => `<p><b>${link.repeat(5000)}</b>`],
	['links that break lines', (link: string) => `<p>${`${link}<br>`.repeat(5000)}`],
	['links in a row', (link: string) => `<table><tr>${`<td>${link.repeat(300)}`.repeat(9)}</table>`],
] as const)('a long base makes no more of many short %s than is asked for', ([, page]) => {
	const {length} = readHtml(
		`<base href="http://x.example/${'p'.repeat(1900)}/">${page('<a href=x>y</a>')}`,
		{url: 'https://site.example/', maxLength: 20_000},
	).text;
	expect(length).toBeLessThan(9 * 22_000);
	expect(length).toBeGreaterThan(15_000);
});
