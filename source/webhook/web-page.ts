import {isLoopbackHost} from '../core/loopback.ts';
import {headerOf, type RequestHeaders} from './headers.ts';

const sitesOfOthers: ReadonlySet<string> = new Set(['cross-site', 'same-site']);

/**
 * Whether a page of another site in somebody's browser sent this: it reaches what listens on loopback, without asking, as long as the body says that it is text. Senders of webhooks
 * name no origin. A page that this machine itself serves is nobody's stranger.
 *
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function isFromForeignPage(headers: RequestHeaders): boolean {
	const origin = headerOf(headers, 'origin');
	return origin === undefined
		? sitesOfOthers.has(headerOf(headers, 'sec-fetch-site') ?? '')
		: !isLoopbackHost(URL.parse(origin)?.hostname ?? '');
}
