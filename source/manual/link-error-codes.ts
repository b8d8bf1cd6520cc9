/** Of `errorCodes`, those of install links. */
export const linkErrorCodes = {
	bad_encoding:
		'The `config` of the install link is no base64url or base64 (padded or not) of JSON in UTF-8: copy the whole link again, or tell its author',
	invalid_link:
		'The text does not begin with `svc://mcp/install?`: see the page "Install link" (`svc help install-link`)',
	invalid_name:
		'The `name` of the install link, or of `--name`, is missing, appears twice, or is not 1 to 64 characters of `A-Za-z0-9._-`',
	invalid_shape:
		'The `config` of the install link is no entry of a tool server: it needs exactly one of `url` and `command` as a text, each key once, no key `__proto__`, and at most 64 levels of nesting',
	invalid_url:
		'The `url` of the install link does not begin with `http://` or `https://`, or holds a user name or a password',
	missing_config:
		'The install link has no `config`, an empty one, or two: copy the whole link again, or tell its author',
	not_an_object: 'The `config` of the install link is JSON, but no object',
	payload_too_large:
		'The `config` of the install link has more than 43,700 characters, or more than 32 KiB decoded',
} as const;
