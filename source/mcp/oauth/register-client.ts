import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {ConnectError} from '../wire/connect-error.ts';
import type {OAuthRequests} from './oauth-requests.ts';
import {registrationRefusal} from './refusals.ts';

/** What the SDK wants to register, with the scope that the authorization will ask for. @see manual/logins.md */
export function registrationBody(body: string, {scopeFor}: OAuthRequests): string {
	const asked = objectOf(body);
	const advertised = asked['scope'];
	const scope = scopeFor(typeof advertised === 'string' ? advertised : undefined);
	return JSON.stringify({...asked, ...(scope !== undefined && {scope})});
}

/**
 * Lets a registration through.
 *
 * @throws ConnectError that leads with the statuses of the metadata when there was none
 * @see manual/tool-servers.md#states
 */
export async function readRegistration(
	{metadata, redact, hide, server}: OAuthRequests,
	response: Response,
): Promise<Response> {
	const {status, headers} = response;
	if (status >= 300 && status < 400) {
		return response;
	}

	const text = await response.text();
	if (!response.ok) {
		const lead = metadata.found ? '' : `OAuth metadata: ${metadata.statuses.join(', ')}; `;
		throw new ConnectError({
			kind: 'needs-login',
			message: `Cannot log in to tool server "${server}": ${lead}Registration failed: ${registrationRefusal({status, text}, redact)}`,
		});
	}

	const secret = objectOf(text)['client_secret'];
	hide(typeof secret === 'string' ? [secret] : []);
	return new Response(text, {status, headers});
}

function objectOf(text: string): JsonObject {
	try {
		const value: unknown = JSON.parse(text);
		return isJsonObject(value) ? value : {};
	} catch {
		return {};
	}
}
