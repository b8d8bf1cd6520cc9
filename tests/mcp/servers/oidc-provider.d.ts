/** As much of the package, which has no types, as the tests use. */
declare module 'oidc-provider' {
	import type {IncomingMessage, ServerResponse} from 'node:http';

	type StoredToken = {destroy(): Promise<void>};

	export type Context = {
		readonly oidc: {
			readonly client: {readonly clientId: string};
			readonly session: {readonly accountId: string};
		};
	};

	export class Provider {
		constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
		readonly Grant: new (of: {readonly clientId: string; readonly accountId: string}) => {
			addOIDCScope(scope: string): void;
			addResourceScope(resource: string, scope: string): void;
			save(): Promise<string>;
		};
		readonly AccessToken: {find(token: string): Promise<StoredToken | undefined>};
		readonly RefreshToken: {find(token: string): Promise<StoredToken | undefined>};
		callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
		interactionDetails(
			request: IncomingMessage,
			response: ServerResponse,
		): Promise<{readonly prompt: {readonly name: string}}>;
		interactionFinished(
			request: IncomingMessage,
			response: ServerResponse,
			result: Readonly<Record<string, unknown>>,
		): Promise<void>;
	}
}
