import {senderNames, senderOf} from '../config/senders/senders.ts';
import {escapeLine} from '../core/untrusted.ts';
import {headerOf} from './headers.ts';
import type {RequestHeaders} from './headers.ts';
import {addressOf} from './signature-check.ts';
import type {Scheme} from './signature-claim.ts';
import {schemeOf, senderSchemes} from './signature-forms.ts';
import {isRight} from './signature-probe.ts';
import type {RefusedSignature} from './signature-probe.ts';
import {recognisedSchemes} from './signature-schemes.ts';

/** A scheme whose header is there although it does not decide, and what a person can do about that. */
type Candidate = {readonly scheme: Scheme; readonly advice: string};

const maxNames = 5;

const maxNameLength = 40;

/** Names that senders give to the header with their signature or token. */
const signatureName =
	/signature|hmac|token|secret|digest|^authorization$|(?:^|-)(?:sig|auth)(?:-|$)/;

/** What a request brought instead of the signature that its route wants. Never empty. */
export function explainUnsigned(refusal: RefusedSignature): readonly string[] {
	const match = findOtherScheme(refusal);
	if (match !== undefined) {
		return [match];
	}

	const candidates = candidatesOf(refusal);
	return candidates.length === 0
		? [describeNames(refusal.request.headers)]
		: candidates.map(({scheme, advice}) => `${scheme.header} is there: ${advice}`);
}

/** The scheme by which the signature would be right, if there is one among those that do not decide. */
export function findOtherScheme(refusal: RefusedSignature): string | undefined {
	const found = candidatesOf(refusal).find(({scheme: {header, read}}) => {
		const {route, request} = refusal;
		const {headers} = request;
		const reading = read(headerOf(headers, header) ?? '', headers, addressOf(route, request));
		return 'claim' in reading && isRight(refusal, reading.claim);
	});
	return found && `${found.scheme.header} matches: ${found.advice}`;
}

function candidatesOf({
	route: {signature},
	request: {headers},
}: RefusedSignature): readonly Candidate[] {
	const isThere = ({header}: Scheme) => headerOf(headers, header) !== undefined;
	const recognised = recognisedSchemes.filter(scheme => isThere(scheme));
	const decider = signature === undefined ? recognised[0] : schemeOf(signature);
	const others = recognised.filter(({header}) => header !== decider?.header);

	return [
		...senderNames
			.filter(kind => kind !== signature?.kind || signature.header !== undefined)
			.filter(kind => !senderOf(kind)?.hasCommonHeader && isThere(senderSchemes[kind]))
			.map(kind => ({scheme: senderSchemes[kind], advice: `the route needs "signature: ${kind}"`})),
		...others.map(scheme => ({
			scheme,
			advice:
				signature === undefined
					? `${decider?.header} decides alone`
					: 'the route needs no "signature"',
		})),
	];
}

function describeNames(headers: RequestHeaders): string {
	const names = Object.keys(headers).filter(name => signatureName.test(name));
	const shown = names.slice(0, maxNames).map(name => escapeLine(name, maxNameLength));
	const more = names.length - shown.length;
	return names.length === 0
		? 'no header looks like a signature'
		: `headers that look like one: ${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
