// The thread that reads one page: a hostile page may need much time and memory, and must not block the gateway's requests.
import {parentPort, workerData} from 'node:worker_threads';
import {decodePage} from './decode-page.ts';
import {readHtml, type ReadPage} from './read-html.ts';

/** The input of the thread. */
export type PageToRead = {
	readonly body: Uint8Array;
	/** The charset in the answer's header. */
	readonly charset?: string | undefined;
	readonly url: string;
	/** UTF-16 units. */
	readonly maxLength: number;
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read-page.ts alone starts this thread
const {body, ...about} = workerData as PageToRead;

const page: ReadPage = readHtml(decodePage(body, about.charset), about);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
parentPort?.postMessage({...page, text: page.text.slice(0, about.maxLength)});
