import {mkdir, readdir, utimes, writeFile} from 'node:fs/promises';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {renderAnswer} from '../../../source/mcp/calls/render-answer.ts';
import {pruneBinaries} from '../../../source/mcp/calls/save-binary.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const redact = (text: string) => text;
const anyText = fc.string({unit: 'binary'});
const block = fc.oneof(
	fc.record({type: fc.constant('text' as const), text: anyText}),
	fc.record({type: fc.constant('image' as const), data: anyText, mimeType: anyText}),
	fc.record({type: fc.constant('resource_link' as const), uri: anyText, name: anyText}),
	fc.record({
		type: fc.constant('resource' as const),
		resource: fc.record({uri: anyText, text: anyText}),
	}),
);

test('any answer becomes a bounded text in which nothing is hidden', async () => {
	await using home = await temporaryHome();
	const property = fc.asyncProperty(
		fc.array(block, {maxLength: 8}),
		fc.option(fc.jsonValue(), {nil: undefined}),
		async (content, structured) => {
			const {text} = await renderAnswer({content, structured}, {cacheDir: home.path, redact});

			expect(text).not.toBe('');
			expect(text).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cs}]|[\u202a-\u202e\u2066-\u2069]/u);
		},
	);

	await fc.assert(property, {numRuns: propertyRuns(60)});
});

test('an answer of very many parts is cut, as is what it wants to have saved', async () => {
	await using home = await temporaryHome();
	const image = (index: number) => ({
		type: 'image' as const,
		data: Buffer.from(String(index)).toString('base64'),
		mimeType: 'image/gif',
	});
	const content = Array.from({length: 1200}, (_, index) => image(index));
	const {text} = await renderAnswer({content}, {cacheDir: home.path, runId: 1, redact});

	expect(await readdir(`${home.path}/mcp/run-1`)).toHaveLength(50);
	expect(text).toContain('[image, image/gif: more than 50 in one answer, not kept]');
	expect(text.endsWith('[200 more parts left out]')).toBe(true);
});

test('structured content that is nested too deep is left out', async () => {
	const structured = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
	const {text} = await renderAnswer(
		{content: [{type: 'text', text: '[1]'}], structured},
		{cacheDir: '/nowhere', redact},
	);

	expect(text.startsWith('[1]\n')).toBe(true);
});

test('a folder that cannot be written is no reason to fail', async () => {
	const content = [{type: 'image' as const, data: 'AAAA', mimeType: 'image/png'}];
	const {text} = await renderAnswer({content}, {cacheDir: '/proc/nowhere', redact});

	expect(text).toMatch(/^\[image, image\/png: cannot be saved \(/);
});

test('of what was saved the newest 100 MB stay', async () => {
	await using home = await temporaryHome();
	const part = Buffer.alloc(30 * 1024 * 1024);
	for (const age of [1, 2, 3, 4]) {
		const folder = `${home.path}/mcp/run-${age}`;
		await mkdir(folder, {recursive: true});
		await writeFile(`${folder}/a.bin`, part);
		await utimes(`${folder}/a.bin`, 1000 - age, 1000 - age);
	}

	await pruneBinaries(home.path);

	expect((await readdir(`${home.path}/mcp`)).toSorted()).toEqual(['run-1', 'run-2', 'run-3']);
});
