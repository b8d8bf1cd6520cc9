import type {SignatureSpec} from '../config/route.ts';
import {formOf, senderNames, senders, type SenderName} from '../config/senders/senders.ts';
import {formScheme} from './form-scheme.ts';
import type {Scheme} from './signature-claim.ts';

/** The scheme of each sender that a route may name. @see manual/signatures.md#the-signature-of-a-route */
// Every name has an entry.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const senderSchemes = Object.fromEntries(
	senderNames.map(name => [name, formScheme(name, senders[name].signature)]),
) as Readonly<Record<SenderName, Scheme>>;

const ownSchemes = new WeakMap<SignatureSpec, Scheme>();

/** The scheme that `spec` names or describes; made once per object. */
export function schemeOf(spec: SignatureSpec): Scheme {
	if (spec.kind !== 'custom' && spec.header === undefined) {
		return senderSchemes[spec.kind];
	}

	const known = ownSchemes.get(spec);
	if (known) {
		return known;
	}

	const scheme = formScheme(spec.kind, formOf(spec));
	ownSchemes.set(spec, scheme);
	return scheme;
}
