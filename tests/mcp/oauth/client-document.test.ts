import {expect, test} from 'vitest';
import type {JsonObject} from '../../../source/core/json.ts';
import {clientDocument, isClientDocumentUrl} from '../../../source/mcp/oauth/client-document.ts';
import {oauthSettingsOf} from '../../../source/mcp/oauth/oauth-settings.ts';
import {remoteServer} from './oauth-world.ts';

const url = 'https://svc.example/oauth/client.json';

test.for([url, 'https://svc.example:8443/a', 'https://svc.example/a?b=c'])(
	'%s can name a client metadata document',
	text => {
		expect(isClientDocumentUrl(text)).toBe(true);
	},
);

test.for([
	'http://svc.example/client.json',
	'https://svc.example',
	'https://svc.example/',
	'https://svc.example/client.json#x',
	'https://user@svc.example/client.json',
	'https://svc.example/a/../client.json',
	'https://svc.example/./client.json',
	'https://svc.example/%2E%2e/client.json',
	'https://svc.example\\client.json',
	'not a URL',
])(
	'"must be HTTPS with a path (no bare origin, fragment, userinfo, or . / .. segments)": %s is refused',
	text => {
		expect(isClientDocumentUrl(text)).toBe(false);
	},
);

const documentOf = (oauth: JsonObject, refused = false) => {
	const settings = oauthSettingsOf(remoteServer('https://crm.example/mcp', oauth));
	return settings && clientDocument(settings, {refused});
};

test('a document is used unless something else says who we are', () => {
	expect(documentOf({client_metadata_url: url})).toBe(url);
	expect(documentOf({})).toBeUndefined();
	expect(documentOf({client_metadata_url: url}, true)).toBeUndefined();
});

test.for([
	{cimd: false},
	{client_id: 'x'},
	{client_secret: 'x'},
	{client_name: 'x'},
	{token_endpoint_auth_method: 'none'},
	{redirect_uri: 'http://127.0.0.1:1/callback'},
	{redirect_port: 4000},
] as const)('%j means registration', oauth => {
	expect(documentOf({client_metadata_url: url, ...oauth})).toBeUndefined();
});

test('"Empty or null is ignored", for user_agent and the rest', () => {
	expect(oauthSettingsOf(remoteServer(url, {user_agent: '', scope: null, client_id: 4}))).toEqual({
		flow: 'browser',
		timeoutMs: 300_000,
		cimd: true,
	});
});
