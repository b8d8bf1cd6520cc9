// @module-tag slow
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
