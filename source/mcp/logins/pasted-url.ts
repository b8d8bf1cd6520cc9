import {isSameText} from '../oauth/client-identity.ts';

const maxLength = 65_536;

/**
 * What a person pasted instead of the browser's coming back: the URL that it ended on, or the part from `?`. `problem`: why that is no answer to the login of
 * this `state`.
 */
export function readPasted(
	text: string,
	{redirect, state}: {readonly redirect: string; readonly state: string},
): {readonly params: URLSearchParams} | {readonly problem: string} {
	const pasted = text.trim();
	const url = pasted.length <= maxLength ? URL.parse(pasted, redirect) : null;
	if (pasted === '' || !url || url.origin + url.pathname !== placeOf(redirect)) {
		return {problem: `Paste the whole URL that the browser ended on; it begins with "${redirect}"`};
	}

	const {searchParams: params} = url;
	if (!params.has('code') && !params.has('error')) {
		return {
			problem: 'The URL lacks the answer of the authorization server ("code=…"): copy all of it',
		};
	}

	return isSameText(state, params.get('state'))
		? {params}
		: {problem: 'The URL belongs to another login (state): use the page that was opened last'};
}

const placeOf = (redirect: string): string => {
	const {origin, pathname} = new URL(redirect);
	return origin + pathname;
};
