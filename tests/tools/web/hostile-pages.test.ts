// @module-tag slow
import {execFile} from 'node:child_process';
import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {openLocalWeb} from './local-web.ts';

test.for([
	['divs', '<div>'.repeat(1_000_000)],
	['formatting', '<b><i><a>'.repeat(500_000)],
	['attributes', `<a ${Array.from({length: 500_000}, (_, index) => `a${index}=1`).join(' ')}>`],
	['tables', '<table><tr><td>'.repeat(300_000)],
	['cells', `<table>${'<tr><td>x<td>y'.repeat(300_000)}`],
	['lists', '<ul><li>x'.repeat(500_000)],
	['quotations', `${'<blockquote>'.repeat(400)}${'x<br>'.repeat(900_000)}`],
	['end tags', `${'<div>'.repeat(300_000)}${'</p></b>'.repeat(300_000)}`],
	['less-than signs', '<'.repeat(5_000_000)],
	['underscores', `<p>${'_'.repeat(5_000_000)}`],
	['blanks', `<p>${' \n'.repeat(2_500_000)}x`],
	['backticks', `<pre>${'`'.repeat(5_000_000)}`],
	['links', '<a href=x>y</a>'.repeat(300_000)],
] as const)('5 MB of %s are read, and do not end the thread', async ([, body]) => {
	await using web = await openLocalWeb((_, response) => {
		response.writeHead(200, {'content-type': 'text/html'}).end(body);
	});

	const {text, isError} = await web.fetch('http://site.example/');

	expect(isError).toBeUndefined();
	expect(text.length).toBeLessThan(202_000);
});

const parserUrl = new URL('../../../source/tools/web/page/parse-html.ts', import.meta.url).href;

/** How often V8 ran a function or block of the parser for a page, given as an expression. */
async function stepsFor(page: string): Promise<number> {
	const folder = await mkdtemp(join(tmpdir(), 'svc-steps-'));
	try {
		const program = `import {parseHtml} from '${parserUrl}'; parseHtml(${page});`;
		await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
			env: {...process.env, NODE_V8_COVERAGE: folder},
		});
		const [file = ''] = await readdir(folder);
		const {result}: Coverage = JSON.parse(await readFile(join(folder, file), 'utf8'));
		return (result.find(({url}) => url === parserUrl)?.functions ?? [])
			.flatMap(({ranges}) => ranges)
			.reduce((sum, {count}) => sum + count, 0);
	} finally {
		await rm(folder, {recursive: true});
	}
}

type Coverage = {
	readonly result: ReadonlyArray<{
		readonly url: string;
		readonly functions: ReadonlyArray<{readonly ranges: ReadonlyArray<{readonly count: number}>}>;
	}>;
};

const tags = 20_000;

test.for([
	`'<div>x</div>'.repeat(${tags / 2})`,
	`'<div>'.repeat(${tags})`,
	`'<div>'.repeat(511) + '</p></b>'.repeat(${tags / 2})`,
	`'<b><div>' + '<i>'.repeat(500) + '</b>'.repeat(${tags})`,
	`'<p><button>' + '<i>'.repeat(500) + '<div></div>'.repeat(${tags / 2})`,
	`'<li><ul>' + '<i>'.repeat(500) + '<li></li>'.repeat(${tags / 2})`,
	`'<svg>' + '<g>'.repeat(500) + '<g/>'.repeat(${tags})`,
	`'<svg></svg>' + '<div>'.repeat(500) + '<g/>'.repeat(${tags})`,
])('the parser takes at most 50 steps a tag at any depth: %s', async page => {
	const steps = await stepsFor(page);

	expect(steps).toBeGreaterThan(tags);
	expect(steps).toBeLessThan(50 * tags);
});
