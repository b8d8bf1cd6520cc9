import type {FetchLike} from '@modelcontextprotocol/client';
import type {World} from '../../core/world.ts';
import type {EndpointPlace} from '../wire/address-guard.ts';
import type {Grant} from './grant.ts';
import type {OAuthSettings} from './oauth-settings.ts';

/** What the requests that are made for one provider have to know, and what they find out. */
export type OAuthRequests = Pick<World, 'clock' | 'redact'> & {
	/** The tool server's name. */
	readonly server: string;
	readonly endpoint: URL;
	readonly settings: OAuthSettings;
	readonly grant: Grant;
	readonly metadata: MetadataFacts;
	/** The scope to ask for where `advertised` would be. */
	readonly scopeFor: (advertised: string | undefined) => string | undefined;
	/** A token endpoint does not accept the client with this identifier. */
	readonly onInvalidClient: (clientId: string) => Promise<void>;
	/** These are secrets from now on. */
	readonly hide: (texts: ReadonlyArray<string | undefined>) => void;
	/** The function that was made for the provider last, and how near the server is by its connections. */
	fetch?: FetchLike;
	home?: EndpointPlace['home'];
	/** Posts to an authorization server what the SDK knows nothing of, under the same rules. */
	askForCode?: (url: URL, init: RequestInit) => Promise<Response>;
};

/** How the look for metadata went since it last began anew. */
export type MetadataFacts = {
	/** What was found may be out of date: the tool server refused a token. @see SEP-2352 */
	distrusted: boolean;
	/** Of all documents that were asked for, in order. */
	statuses: number[];
	/** A document of an authorization server was there. */
	found: boolean;
};
