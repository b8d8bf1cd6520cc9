import {Worker} from 'node:worker_threads';
import {type Clock, within} from '../../core/clock.ts';
import {createMutex} from '../../core/mutex.ts';
import {partUrl} from '../../core/program.ts';
import type {FetchedPage} from './fetch-page.ts';
import {PageRefused} from './judge-url.ts';
import {decodePage} from './page/decode-page.ts';
import type {ReadPage} from './page/read-html.ts';
import type {PageToRead} from './page/worker.ts';

/** Memory limits of the thread: the most hostile pages of 5 MB need 220 MB. */
const memory = {maxOldGenerationSizeMb: 320, maxYoungGenerationSizeMb: 32, stackSizeMb: 4} as const;

/** Characters have at most four bytes. */
const maxCharacterBytes = 4;

/** The time limit of the thread for one page. Hostile pages of 5 MB need about 1 s. */
const timeoutMs = 5000;

/** One page at a time in this process, because each may need the thread's whole memory. */
const oneAtATime = createMutex();

export type ReadPageText = ReturnType<typeof createPageReader>;

/**
 * Creates a run's page reader. It converts HTML to Markdown in a thread that is ended when `signal` aborts or after 5 s; other text is unchanged. A run has only
 * one page in the process's queue at a time, so pages of other runs wait for at most one of its pages.
 *
 * `maxLength`: enough UTF-16 units; the text may be somewhat longer. Throws PageRefused for a page that the thread cannot read; the reason of `signal`.
 */
export function createPageReader(clock: Clock) {
	const oneOfTheRun = createMutex();
	return async (
		{url, type, charset, body}: FetchedPage,
		{maxLength, signal}: {readonly maxLength: number; readonly signal: AbortSignal},
	): Promise<ReadPage> => {
		if (!isHtml(type, body)) {
			const text = decodePage(body.subarray(0, maxLength * maxCharacterBytes), charset);
			return {text: text.slice(0, maxLength)};
		}

		const page: PageToRead = {body, charset, url: url.href, maxLength};
		const turn = async () => {
			signal.throwIfAborted();
			return within(
				oneAtATime(async () => readInThread(page, {clock, signal})),
				signal,
			);
		};
		signal.throwIfAborted();
		return within(oneOfTheRun(turn), signal);
	};
}

const isHtml = (type: string, body: Buffer): boolean =>
	type === 'text/html' ||
	type === 'application/xhtml+xml' ||
	(type === '' &&
		/^\s*<(?:!doctype html|html|head|body|!--)/i.test(body.toString('latin1', 0, 512)));

async function readInThread(
	page: PageToRead,
	{clock, signal}: {readonly clock: Clock; readonly signal: AbortSignal},
): Promise<ReadPage> {
	signal.throwIfAborted();
	const worker = new Worker(partUrl(import.meta.url, './page/worker.ts', './page-worker.js'), {
		workerData: page,
		execArgv: [],
		env: {},
		resourceLimits: memory,
		name: 'web page',
	});
	const {promise, resolve, reject} = Promise.withResolvers<ReadPage>();
	worker.once('message', resolve);
	const refuse = (why: string) => reject(new PageRefused(`the page cannot be read: ${why}`));
	worker.once('error', error => {
		const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
		refuse(isMemory ? 'it needs too much memory' : 'its reader failed');
	});
	const cancel = clock.after(timeoutMs, () => refuse(`it needs more than ${timeoutMs / 1000} s`));
	try {
		return await within(promise, signal);
	} finally {
		cancel();
		await worker.terminate();
	}
}
