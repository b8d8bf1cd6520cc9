import type {Judged, Judgement} from '../ask.ts';

const named = (...names: readonly string[]): ReadonlySet<unknown> =>
	new Set(names.flatMap(some => some.split(' ')));

const refusedCredentials = named(
	'account_inactive invalid_auth not_allowed_token_type not_authed token_expired token_revoked',
);

/** Temporary errors; all others concern the message. */
const ownTrouble = named('fatal_error internal_error request_timeout service_unavailable');

/** Judges by `error`: the status says little, since errors also have 200. */
export function judge({status, json}: Judged): Judgement {
	const {ok, error} = json;
	if (ok === true) {
		return true;
	}

	if (status === 429 || error === 'ratelimited' || error === 'rate_limited') {
		return 'platform_rate_limited';
	}

	if (typeof error !== 'string' || status >= 500 || ownTrouble.has(error)) {
		return 'platform_failed';
	}

	return refusedCredentials.has(error) ? 'platform_unauthorized' : 'platform_rejected';
}

const refusedLogins = named(
	'access_denied accesslimited ekm_access_denied enterprise_is_restricted missing_scope',
	'no_permission team_access_not_granted two_factor_setup_required',
);

/** Judges a login: known errors mean that the tokens or the app must be changed, unknown ones may be temporary. */
export function judgeLogin(answer: Judged): Judgement {
	const judgement = judge(answer);
	const rejection = refusedLogins.has(answer.json['error'])
		? 'platform_unauthorized'
		: 'platform_failed';
	return judgement === 'platform_rejected' ? rejection : judgement;
}
