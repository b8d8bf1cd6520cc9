import {textAt, type PlatformCall, type Judged, type Judgement} from '../ask.ts';

/** Judges an answer of the API. A 404 of a proxy in front of it is temporary. */
export function judge({json, status}: Judged, {isEdit}: PlatformCall): Judgement {
	const said = textAt(json, 'description');
	if (json['ok'] === true) {
		return true;
	}

	if (isEdit && said.includes('message is not modified')) {
		return 'unchanged';
	}

	if (status === 429 || json['error_code'] === 429) {
		return 'platform_rate_limited';
	}

	// The API answers so for an invalid token.
	return status === 404 && said === 'Not Found' && 'platform_unauthorized';
}
