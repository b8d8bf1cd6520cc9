import {declaredRedirects} from '../oauth/client-document.ts';

/**
 * The client metadata document to be published at `url`.
 *
 * @see manual/logins.md#client-identification, draft-ietf-oauth-client-id-metadata-document
 */
export const declaredClient = (url: string) => ({
	client_id: url,
	client_name: 'svc',
	application_type: 'native',
	redirect_uris: declaredRedirects,
	grant_types: ['authorization_code', 'refresh_token'],
	response_types: ['code'],
	token_endpoint_auth_method: 'none',
});
