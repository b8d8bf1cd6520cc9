import {expect, test} from 'vitest';
import type {JsonObject} from '../../../source/core/json.ts';
import {planRedirect} from '../../../source/mcp/logins/redirect-plan.ts';
import type {RegistrationFacts} from '../../../source/mcp/oauth/login-options.ts';
import {oauthSettingsOf} from '../../../source/mcp/oauth/oauth-settings.ts';
import {remoteServer} from '../oauth/oauth-world.ts';

const document = 'https://svc.example/client.json';

const plan = (oauth: JsonObject, known: Partial<RegistrationFacts> = {}) => {
	const settings = oauthSettingsOf(remoteServer('https://crm.example/mcp', oauth));
	return (
		settings &&
		planRedirect(settings, {
			takesDocuments: undefined,
			isRegistered: false,
			document: undefined,
			...known,
		})
	);
};

test('"a never-reached server gets a pinned port on its first login"', () => {
	expect(plan({})).toEqual({kind: 'pinned'});
});

test.for<readonly [string, JsonObject, Partial<RegistrationFacts>]>([
	['the cached metadata do not advertise CIMD', {}, {takesDocuments: false}],
	['a pre-registered client', {client_id: 'x'}, {}],
	['a client secret', {client_secret: 'x'}, {}],
	['a custom client name', {client_name: 'x'}, {}],
	['a custom method', {token_endpoint_auth_method: 'none'}, {}],
	['a client registration exists on disk', {}, {isRegistered: true}],
	['documents are switched off', {cimd: false}, {}],
])('"a random port is used instead": %s', ([, oauth, known]) => {
	expect(plan(oauth, known)).toEqual({kind: 'random'});
});

test('a login that will present the document uses a pinned port, whatever was registered before', () => {
	expect(
		plan({client_metadata_url: document}, {document, isRegistered: true, takesDocuments: true}),
	).toEqual({kind: 'pinned'});
});

test('a callback of the person is taken as it is written', () => {
	expect(plan({redirect_port: 4000})).toEqual({
		kind: 'own',
		url: 'http://127.0.0.1:4000/callback',
		port: 4000,
	});
	expect(plan({redirect_uri: 'http://localhost:4001/back'})).toEqual({
		kind: 'own',
		url: 'http://localhost:4001/back',
		port: 4001,
	});
	expect(plan({redirect_uri: 'https://me.example/back', redirect_port: 4002})).toEqual({
		kind: 'own',
		url: 'https://me.example/back',
		port: 4002,
	});
	expect(
		plan({redirect_uri: 'https://me.example/back'}),
		'nothing here listens for another machine',
	).toEqual({kind: 'own', url: 'https://me.example/back'});
});
