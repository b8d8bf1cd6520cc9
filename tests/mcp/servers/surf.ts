import {fileURLToPath} from 'node:url';

export type Surfed = {
	/** Where it ended. */
	readonly url: URL;
	/** What is there; absent where it had to stop before. */
	readonly page?: {readonly status: number; readonly text: string; readonly headers: Headers};
};

type Options = {
	/** Where it must not go. */
	readonly isEnd?: (url: URL) => boolean;
	readonly cookies?: Map<string, string>;
	/** Of the first request. */
	readonly init?: RequestInit;
};

/** Goes where a browser would, with cookies, until there is a page, or it would have to go where it must not. */
export async function surf(
	start: URL,
	{isEnd = () => false, cookies = new Map(), init = {}}: Options = {},
): Promise<Surfed> {
	let url = start;
	let request = init;
	for (let step = 0; step < 20; step++) {
		const response = await fetch(url, {
			...request,
			redirect: 'manual',
			headers: {cookie: [...cookies].map(pair => pair.join('=')).join('; ')},
		});
		for (const cookie of response.headers.getSetCookie()) {
			const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
			cookies.set(name, value);
		}

		const location = response.headers.get('location');
		if (location === null) {
			const {status, headers} = response;
			return {url, page: {status, headers, text: await response.text()}};
		}

		url = new URL(location, url);
		request = {};
		if (isEnd(url)) {
			return {url};
		}
	}

	throw new Error('too many redirects');
}

/** Goes where a browser would, with cookies, until it is sent to `redirectUrl`; resolves with the parameters there. @throws Error with the text of a page on the way */
export async function browse(start: URL, redirectUrl: string): Promise<URLSearchParams> {
	const {url, page} = await surf(start, {isEnd: next => next.href.startsWith(redirectUrl)});
	if (page) {
		throw new Error(`page ${page.status}: ${page.text}`);
	}

	return url.searchParams;
}

/** What a person does with a code: opens the page, is sure that it is the code on the screen, and agrees, or does not. */
export async function answerCode(
	page: string,
	{denies = false}: {readonly denies?: boolean} = {},
): Promise<void> {
	const cookies = new Map<string, string>();
	const first = await load(new URL(page), cookies);
	// The code is in the address, so that the page sends itself on first.
	const second = /name="confirm"|name="abort"/.test(first.text)
		? first
		: await submit(first, {}, cookies);
	const last = await submit(second, denies ? {abort: 'yes'} : {confirm: 'yes'}, cookies);
	if (last.status >= 500 || (!denies && last.status >= 400)) {
		throw new Error(`page ${last.status}: ${last.text}`);
	}
}

type Page = {readonly url: URL} & NonNullable<Surfed['page']>;

async function load(
	start: URL,
	cookies: Map<string, string>,
	init: RequestInit = {},
): Promise<Page> {
	const {url, page} = await surf(start, {cookies, init});
	if (!page) {
		throw new Error(`no page at ${url.href}`);
	}

	return {url, ...page};
}

async function submit(
	{url, text}: Page,
	answer: Readonly<Record<string, string>>,
	cookies: Map<string, string>,
): Promise<Page> {
	const hidden = [...text.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)].map(
		([, name = '', value = '']) => [name, value] as const,
	);
	return load(new URL(url.pathname, url), cookies, {
		method: 'POST',
		body: new URLSearchParams({...Object.fromEntries(hidden), ...answer}),
	});
}

/** For `BROWSER`: a program whose person agrees to everything. It is started without the environment of the tests. */
export const agreeingBrowser = [
	'env',
	`'NODE_COMPILE_CACHE=${process.env['NODE_COMPILE_CACHE'] ?? ''}'`,
	`'${process.execPath}'`,
	`'${fileURLToPath(new URL('browser-program.ts', import.meta.url))}'`,
].join(' ');
