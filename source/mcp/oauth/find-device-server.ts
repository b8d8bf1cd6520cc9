import {
	type AuthorizationServerMetadata,
	buildDiscoveryUrls,
	checkResourceAllowed,
	discoverOAuthProtectedResourceMetadata,
	type FetchLike,
	LATEST_PROTOCOL_VERSION,
	type OAuthDiscoveryState,
	type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import {z} from 'zod';
import {codeOf, messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {codeLoginError, ConnectError} from '../wire/connect-error.ts';
import {sameIssuer} from './client-identity.ts';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** An authorization server that issues device codes, and its metadata. */
export type DeviceServer = {
	readonly discovery: OAuthDiscoveryState & {
		readonly authorizationServerMetadata: AuthorizationServerMetadata;
	};
	readonly codeEndpoint: string;
};

/** How many servers are asked at most. */
const maxServers = 8;

const endpointUrl = z.url({protocol: /^https?$/});

/** The metadata that a login by code needs; a server for devices only has no authorization endpoint. */
const metadataShape = z.looseObject({
	issuer: z.string(),
	token_endpoint: endpointUrl,
	device_authorization_endpoint: endpointUrl.optional(),
	registration_endpoint: endpointUrl.optional(),
	grant_types_supported: z.array(z.string()).optional(),
	scopes_supported: z.array(z.string()).optional(),
	token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
	authorization_endpoint: z.string().optional(),
	response_types_supported: z.array(z.string()).optional(),
});

type Metadata = z.infer<typeof metadataShape>;

type Verdict = {readonly server: DeviceServer} | {readonly reason: string};

/**
 * The first of the tool server's authorization servers, in its order, whose metadata confirm its address and support device codes. If the tool server names none,
 * it is asked itself.
 *
 * @throws ConnectError that says of each why it does not do
 * @see RFC 9728, RFC 8414 §3.3, RFC 8628 §4, manual/logins.md#with-a-code
 */
export async function findDeviceServer(asked: Asked): Promise<DeviceServer> {
	const {name, endpoint, resourceMetadataUrl, issuer, fetch} = asked;
	const resource = await readResource(asked);
	if (
		resource &&
		!checkResourceAllowed({requestedResource: endpoint, configuredResource: resource.resource})
	) {
		throw codeLoginError(name, `it says that it is another one, ${quote(resource.resource)}`);
	}

	const named = resource?.authorization_servers ?? [];
	const advertised = named.length > 0 ? named : [new URL('/', endpoint).href];
	const reasons: string[] = [];
	for (const address of advertised.slice(0, maxServers)) {
		// oxlint-disable-next-line no-await-in-loop -- the first that does
		const verdict = await judgeServer(address, fetch);
		if ('server' in verdict && isMeant(verdict.server, issuer)) {
			const {discovery, codeEndpoint} = verdict.server;
			return {
				codeEndpoint,
				discovery: {
					...discovery,
					...(resource && {resourceMetadata: resource}),
					...(resourceMetadataUrl && {resourceMetadataUrl: resourceMetadataUrl.href}),
				},
			};
		}

		const reason = 'reason' in verdict ? verdict.reason : 'is not the one that is meant';
		reasons.push(`${quote(address)} ${reason}`);
	}

	const lead = 'no authorization server of it gives codes to devices';
	throw codeLoginError(name, `${lead}: ${reasons.join('; ')}. Log in with "--flow browser"`);
}

type Asked = {
	/** The tool server's name. */
	readonly name: string;
	readonly endpoint: URL;
	/** Where it says its metadata are. */
	readonly resourceMetadataUrl?: URL | undefined;
	/** The only acceptable issuer; absent: any. */
	readonly issuer?: string;
	readonly fetch: FetchLike;
};

const isMeant = (
	{discovery: {authorizationServerMetadata: metadata}}: DeviceServer,
	issuer: string | undefined,
): boolean => issuer === undefined || sameIssuer(issuer, metadata.issuer);

async function readResource({
	endpoint,
	resourceMetadataUrl: url,
	fetch,
}: Asked): Promise<OAuthProtectedResourceMetadata | undefined> {
	const place = url && {resourceMetadataUrl: url};
	try {
		return await discoverOAuthProtectedResourceMetadata(endpoint, place, fetch);
	} catch (error) {
		if (error instanceof TypeError || error instanceof ConnectError) {
			// The network failed, or the address must not be contacted.
			throw error;
		}

		return undefined;
	}
}

async function judgeServer(address: string, fetch: FetchLike): Promise<Verdict> {
	const url = URL.parse(address);
	if (!url) {
		return {reason: 'is no URL'};
	}

	try {
		const answers: Array<number | string> = [];
		for (const {url: place} of buildDiscoveryUrls(url)) {
			// oxlint-disable-next-line no-await-in-loop -- in the order of the protocol
			const {status, metadata} = await askForMetadata(place, fetch);
			answers.push(status);
			if (metadata) {
				return judgeMetadata(metadata, address);
			}
		}

		return {reason: `has no metadata that can be used (${answers.join(', ')})`};
	} catch (error) {
		// A server that cannot or must not be contacted does not rule out the next.
		return {reason: `cannot be asked: ${reasonOf(error)}`};
	}
}

const reasonOf = (error: unknown): string => {
	const {cause} = error instanceof Error ? error : {};
	return escapeLine(codeOf(cause) === 'unknown' ? messageOf(error) : codeOf(cause), 200);
};

async function askForMetadata(place: URL, fetch: FetchLike) {
	const response = await fetch(place, {
		headers: {accept: 'application/json', 'mcp-protocol-version': LATEST_PROTOCOL_VERSION},
	});
	const {status, ok} = response;
	const value = ok ? await response.json().catch(() => undefined) : undefined;
	return {status, metadata: metadataShape.safeParse(value).data};
}

function judgeMetadata(metadata: Metadata, address: string): Verdict {
	const {issuer, device_authorization_endpoint: codeEndpoint} = metadata;
	if (!sameIssuer(issuer, address) && !isBareHostOf(issuer, address)) {
		return {reason: `says that it is another one, ${quote(issuer)}`};
	}

	if (codeEndpoint === undefined) {
		return {reason: 'does not advertise "device_authorization_endpoint"'};
	}

	if (metadata.grant_types_supported && !metadata.grant_types_supported.includes(deviceGrant)) {
		return {reason: 'does not offer the "device_code" grant'};
	}

	return {
		server: {
			codeEndpoint,
			discovery: {
				authorizationServerUrl: address,
				authorizationServerMetadata: {
					...metadata,
					// The SDK requires both members for a refresh, but uses neither.
					authorization_endpoint: metadata.authorization_endpoint ?? metadata.token_endpoint,
					response_types_supported: metadata.response_types_supported ?? ['code'],
				},
			},
		},
	};
}

/** The only accepted difference: a server with a path whose metadata name the bare host. */
function isBareHostOf(issuer: string, address: string): boolean {
	const [one, other] = [URL.parse(issuer), URL.parse(address)];
	return (
		one !== null &&
		other !== null &&
		other.pathname !== '/' &&
		one.origin === other.origin &&
		sameIssuer(issuer, one.origin)
	);
}

const quote = (text: string): string => `"${escapeLine(text, 200)}"`;
