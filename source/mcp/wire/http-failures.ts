import {asWord} from '../../core/shell-words.ts';
import type {ConnectFailure} from './open-transport.ts';

/** What an HTTP status of a tool server's endpoint means. `quote` is what it said, cleaned and cut; empty when it said nothing. */
export function httpFailure(
	status: number,
	{
		quote,
		hasSession,
		hasLogin,
		name,
	}: {
		readonly quote: string;
		readonly hasSession: boolean;
		/** Whether the server is configured with `auth: oauth`. */
		readonly hasLogin: boolean;
		readonly name: string;
	},
): ConnectFailure {
	const said = quote === '' ? '' : `: ${quote}`;
	if (status === 401 || status === 403) {
		return hasLogin
			? {
					message: `It wants a login (HTTP ${status}): run "svc mcp login ${asWord(name)}"`,
					kind: 'needs-login',
				}
			: {
					message: `It refused the credentials (HTTP ${status}): check headers, or set auth: oauth${said}`,
					kind: 'permanent',
				};
	}

	if (hasSession && isExpired(status, quote)) {
		return {message: `It has ended the session (HTTP ${status})`, kind: 'session-expired'};
	}

	if (status === 404 || status === 410) {
		return {
			message: `There is no tool server at its URL (HTTP ${status})${said}`,
			kind: 'permanent',
		};
	}

	if (status === 407) {
		return {message: 'The proxy wants a login (HTTP 407)', kind: 'permanent'};
	}

	const isPassing = status >= 500 || [408, 425, 429].includes(status);
	return {
		message: `It answered with HTTP ${status}${said}`,
		kind: isPassing ? 'passing' : 'permanent',
	};
}

/** The specification says 404; server-everything and others say 400 and name the session. @see MCP 2025-11-25, Session Management */
const isExpired = (status: number, quote: string): boolean =>
	status === 404 || (status === 400 && /session/i.test(quote));
