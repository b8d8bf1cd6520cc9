import {Worker} from 'node:worker_threads';
import {createMutex} from '../../core/mutex.ts';
import {within} from '../../core/within.ts';
import type {FetchedPage} from './fetch-page.ts';
import {PageRefused} from './judge-url.ts';
import {decodePage} from './page/decode-page.ts';
import type {ReadPage} from './page/read-html.ts';
import type {PageToRead} from './page/worker.ts';

/** Memory of the thread: 5 MB of the most hostile pages need 220 MB. */
const memory = {maxOldGenerationSizeMb: 320, maxYoungGenerationSizeMb: 32, stackSizeMb: 4} as const;

/** Characters have at most four bytes. */
const maxCharacterBytes = 4;

/** One page of the process at a time: each may need the memory of its thread. */
const oneAtATime = createMutex();

/**
 * The text of a page: HTML as Markdown, read in a thread that is ended when `signal` aborts, other text as it is.
 *
 * @param maxLength UTF-16 units that are enough; the text may be somewhat longer
 * @throws PageRefused for a page that the thread cannot read; the reason of `signal`
 */
export async function readPage(
	{url, type, charset, body}: FetchedPage,
	{maxLength, signal}: {readonly maxLength: number; readonly signal: AbortSignal},
): Promise<ReadPage> {
	if (!isHtml(type, body)) {
		const text = decodePage(body.subarray(0, maxLength * maxCharacterBytes), charset);
		return {text: text.slice(0, maxLength)};
	}

	const page: PageToRead = {body, charset, url: url.href, maxLength};
	return within(
		oneAtATime(async () => readInThread(page, signal)),
		signal,
	);
}

const isHtml = (type: string, body: Buffer): boolean =>
	type === 'text/html' ||
	type === 'application/xhtml+xml' ||
	(type === '' &&
		/^\s*<(?:!doctype html|html|head|body|!--)/i.test(body.toString('latin1', 0, 512)));

async function readInThread(page: PageToRead, signal: AbortSignal): Promise<ReadPage> {
	signal.throwIfAborted();
	const worker = new Worker(workerUrl(), {
		workerData: page,
		execArgv: [],
		env: {},
		resourceLimits: memory,
		name: 'web page',
	});
	const {promise, resolve, reject} = Promise.withResolvers<ReadPage>();
	worker.once('message', resolve);
	worker.once('error', error => {
		reject(
			new PageRefused(
				`the page cannot be read: ${'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it needs too much memory' : 'its reader failed'}`,
			),
		);
	});
	try {
		return await within(promise, signal);
	} finally {
		await worker.terminate();
	}
}

/** Beside this file in the source; in the bundle, a file of its own. */
const workerUrl = (): URL =>
	new URL(
		import.meta.url.endsWith('.ts') ? './page/worker.ts' : './page-worker.js',
		import.meta.url,
	);
