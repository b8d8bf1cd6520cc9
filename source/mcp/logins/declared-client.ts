import {pinnedPorts} from './redirect-plan.ts';

/** Where the browser may come back to when a document identifies us. @see manual/logins.md#callback-ports */
const redirects: readonly string[] = ['127.0.0.1', 'localhost'].flatMap(host =>
	pinnedPorts.map(port => `http://${host}:${port}/callback`),
);

/**
 * The client metadata document that is to be found at `url`.
 *
 * @see manual/logins.md#who-we-are, draft-ietf-oauth-client-id-metadata-document
 */
export const declaredClient = (url: string) => ({
	client_id: url,
	client_name: 'svc',
	application_type: 'native',
	redirect_uris: redirects,
	grant_types: ['authorization_code', 'refresh_token'],
	response_types: ['code'],
	token_endpoint_auth_method: 'none',
});
