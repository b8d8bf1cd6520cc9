import {isLoopbackHost} from '../../core/hosts.ts';
import {namesClient} from '../oauth/client-document.ts';
import type {RegistrationFacts} from '../oauth/login-options.ts';
import type {OAuthSettings} from '../oauth/oauth-settings.ts';

/**
 * The redirect URI of a login. `pinned`: the first free one of `pinnedPorts`. `random`: any free port. `own`: as configured; without `port` it leads to another
 * machine, so the answer can only be pasted.
 */
export type RedirectPlan =
	| {readonly kind: 'pinned' | 'random'}
	| {readonly kind: 'own'; readonly url: string; readonly port?: number};

/** Pins a port if a client metadata document, which declares only those ports, might be presented, and for servers never reached. Clients that only register take any port. */
export function planRedirect(settings: OAuthSettings, known: RegistrationFacts): RedirectPlan {
	const own = ownRedirect(settings);
	if (own) {
		return own;
	}

	if (namesClient(settings) || !settings.cimd || known.takesDocuments === false) {
		return {kind: 'random'};
	}

	// Registering again prevents an old registration from blocking the use of a document.
	return {kind: known.isRegistered && known.document === undefined ? 'random' : 'pinned'};
}

/** The redirect URI for a port of this machine. */
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
