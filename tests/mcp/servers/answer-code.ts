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

type Page = {readonly url: URL; readonly status: number; readonly text: string};

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

async function load(
	start: URL,
	cookies: Map<string, string>,
	init: RequestInit = {},
): Promise<Page> {
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
			return {url, status: response.status, text: await response.text()};
		}

		url = new URL(location, url);
		request = {};
	}

	throw new Error('too many redirects');
}
