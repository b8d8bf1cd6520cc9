import {isLoopbackHost} from '../../core/hosts.ts';
import {namesClient} from '../oauth/client-document.ts';
import type {RegistrationFacts} from '../oauth/login-options.ts';
import type {OAuthSettings} from '../oauth/oauth-settings.ts';

/**
 * Where the browser comes back to. `pinned`: to one of `pinnedPorts`, the first that is free. `random`: to any free port. `own`: as the configuration says;
 * `port` absent: to another machine, so that only pasting brings the answer here.
 */
export type RedirectPlan =
	| {readonly kind: 'pinned' | 'random'}
	| {readonly kind: 'own'; readonly url: string; readonly port?: number};

/**
 * A port is pinned where the document may come to be presented, which declares those ports alone, and for a server that was never reached. What only
 * registers takes any port.
 */
export function planRedirect(settings: OAuthSettings, known: RegistrationFacts): RedirectPlan {
	const own = ownRedirect(settings);
	if (own) {
		return own;
	}

	if (namesClient(settings) || !settings.cimd || known.takesDocuments === false) {
		return {kind: 'random'};
	}

	// A login registers anew, so that an old registration does not keep a document from being presented.
	return {kind: known.isRegistered && known.document === undefined ? 'random' : 'pinned'};
}

/** Where the browser comes back to on a port of this machine. */
export const loopbackCallback = (port: number): string => `http://127.0.0.1:${port}/callback`;

function ownRedirect({redirectUri, redirectPort}: OAuthSettings): RedirectPlan | undefined {
	if (redirectUri === undefined) {
		return redirectPort === undefined
			? undefined
			: {kind: 'own', url: loopbackCallback(redirectPort), port: redirectPort};
	}

	const url = URL.parse(redirectUri);
	const isHere = url?.protocol === 'http:' && isLoopbackHost(url.hostname);
	const port = redirectPort ?? (isHere ? Number(url.port || 80) : undefined);
	return {kind: 'own', url: redirectUri, ...(port !== undefined && {port})};
}
