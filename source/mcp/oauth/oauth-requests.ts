import type {FetchLike} from '@modelcontextprotocol/client';
import type {World} from '../../core/world.ts';
import type {EndpointPlace} from '../wire/address-guard.ts';
import type {Grant} from './grant.ts';
import type {OAuthSettings} from './oauth-settings.ts';

/** The input of requests made for one provider, and what they find out. */
export type OAuthRequests = Pick<World, 'clock' | 'redact'> & {
	/** The tool server's name. */
	readonly server: string;
	readonly endpoint: URL;
	readonly settings: OAuthSettings;
	readonly grant: Grant;
	readonly metadata: MetadataFacts;
	/** The scope to request in place of `advertised`. */
	readonly scopeFor: (advertised: string | undefined) => string | undefined;
	/** Called when a token endpoint does not accept the client with this identifier. */
	readonly onInvalidClient: (clientId: string) => Promise<void>;
	/** Has these texts redacted from now on. */
	readonly hide: (texts: ReadonlyArray<string | undefined>) => void;
	/** The last fetch made for the provider, and how near the server is by its connections. */
	fetch?: FetchLike;
	home?: EndpointPlace['home'];
	/** Posts requests that the SDK does not support to an authorization server, under the same rules. */
	askForCode?: (url: URL, init: RequestInit) => Promise<Response>;
};

/** The progress of metadata discovery since it last started over. */
export type MetadataFacts = {
	/** The metadata may be outdated, because the tool server refused a token. @see SEP-2352 */
	distrusted: boolean;
	/** The statuses of all documents requested, in order. */
	statuses: number[];
	/** Metadata of an authorization server were found. */
	found: boolean;
};
