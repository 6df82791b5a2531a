/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lexer.c - cuts a query's text into operators, parentheses and pieces.
 *
 * It does not know words: a piece without quotes goes up to the next blank, parenthesis or quote,
 * and is cut into words later by the tokenizer that also cut the mail. One pass; the text may be
 * any bytes. Only ASCII blanks end the value of an exact prefix, as folders and tags may have
 * others in them.
 */
#include "query/lexer.h"
#include <glib.h>
#include <string.h>
#include <talloc.h>

bool
query_error_set (void *ctx, struct mail_query_error *error, size_t offset, size_t length,
                 const char *hint, const char *format, ...)
{
    va_list args;
    char *text, *valid;

    va_start (args, format);
    text = g_strdup_vprintf (format, args);
    va_end (args);
    valid = g_utf8_make_valid (text, -1);
    error->message = talloc_strdup (ctx, valid);
    g_free (text);
    g_free (valid);
    error->offset = offset;
    error->length = length > 0 ? length : 1;
    error->hint = hint != NULL ? talloc_strdup (ctx, hint) : NULL;
    return false;
}

/* The byte at an index; 0 behind the end. */
static char
at (const struct lexer *lexer, size_t index)
{
    return index < lexer->length ? lexer->text[index] : '\0';
}

/* Length of the blank at an index, 0 for none. Control characters are blanks. */
static size_t
blank_length (const struct lexer *lexer, size_t index)
{
    unsigned char byte = (unsigned char) at (lexer, index);
    gunichar character;

    if (index >= lexer->length)
        return 0;
    if (byte <= ' ')
        return 1;
    if (byte < 0x80)
        return 0;
    character = g_utf8_get_char_validated (lexer->text + index, (gssize) (lexer->length - index));
    if (character >= (gunichar) -2 || !g_unichar_isspace (character))
        return 0;
    return (size_t) g_unichar_to_utf8 (character, NULL);
}

static bool
is_ascii_blank (char byte)
{
    return (unsigned char) byte <= ' ';
}

/* Where the words without quotes that begin at an index end. "main()" is a word, with empty
 * parentheses right behind it. */
static size_t
bare_end (const struct lexer *lexer, size_t start)
{
    size_t index = start;

    while (index < lexer->length && blank_length (lexer, index) == 0) {
        if (index > start && lexer->text[index] == '(' && at (lexer, index + 1) == ')')
            index++;
        else if (strchr ("()\"", lexer->text[index]) != NULL)
            break;
        index++;
    }
    return index;
}

/* Where a value without quotes ends. Parentheses in a regular expression, and in words of which all
 * are one phrase, belong to it in pairs. */
static size_t
value_end (const struct lexer *lexer, size_t index, bool regex, bool pairs)
{
    size_t open = 0;

    for (; index < lexer->length && !is_ascii_blank (lexer->text[index]); index++) {
        char byte = lexer->text[index];
        if (byte == ')' && open == 0)
            break;
        if (regex && byte == '\\' && index + 1 < lexer->length)
            index++;
        else if ((regex || pairs) && byte == '(')
            open++;
        else if (byte == ')')
            open--;
    }
    return index;
}

/* Where the braces of thread:{...} that open at an index are closed, behind them; the end of the
 * text where they are not. Those in quotes do not count. */
static size_t
braces_end (const struct lexer *lexer, size_t index)
{
    size_t open = 0;
    bool quoted = false;

    for (; index < lexer->length; index++) {
        char byte = lexer->text[index];
        if (byte == '"')
            quoted = !quoted;
        else if (byte == '{' && !quoted)
            open++;
        else if (byte == '}' && !quoted && --open == 0)
            return index + 1;
    }
    return index;
}

/* ---- quotes -------------------------------------------------------------------------------- */

static char *
without_doubled_quotes (void *ctx, const char *text, size_t length, size_t *length_out)
{
    char *copy = talloc_array (ctx, char, length + 1);
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        copy[used++] = text[i];
        if (text[i] == '"')
            i++;
    }
    copy[used] = '\0';
    *length_out = used;
    return copy;
}

/* Takes a quoted value that begins at start, up to its closing quote or the end of the text. Behind
 * a prefix a doubled quote stands for one; without a prefix it ends one phrase and begins
 * another. */
static void
take_quoted (struct lexer *lexer, struct lexeme *lexeme, size_t start)
{
    size_t index = start + 1;
    bool doubled = false;

    while (index < lexer->length) {
        if (lexer->text[index] == '"') {
            if (lexeme->prefix == NULL || at (lexer, index + 1) != '"')
                break;
            doubled = true;
            index++;
        }
        index++;
    }
    lexeme->quoted = true;
    lexeme->value_offset = start + 1;
    lexeme->value = lexer->text + start + 1;
    lexeme->value_length = index - start - 1;
    if (doubled)
        lexeme->value = without_doubled_quotes (lexer->ctx, lexeme->value, lexeme->value_length,
                                                &lexeme->value_length);
    lexeme->unclosed = index >= lexer->length;
    lexer->position = lexeme->unclosed ? index : index + 1;
}

/* The same of an exact value with %XX for bytes that cannot be printed: %"...". */
static bool
take_encoded (struct lexer *lexer, struct lexeme *lexeme, size_t start,
              struct mail_query_error *error)
{
    take_quoted (lexer, lexeme, start + 1);
    char *copy = talloc_array (lexer->ctx, char, lexeme->value_length + 1), *to = copy;
    const char *end = lexeme->value + lexeme->value_length;

    for (const char *from = lexeme->value; from < end; from++) {
        int high = end - from > 2 ? g_ascii_xdigit_value (from[1]) : -1;
        int low = high < 0 ? -1 : g_ascii_xdigit_value (from[2]);
        if (*from == '%' && (low < 0 || high + low == 0))
            return query_error_set (
                lexer->ctx, error, lexeme->value_offset + (size_t) (from - lexeme->value), 1,
                "a % itself is %25", "two hexadecimal digits must follow this \"%%\"");
        *to++ = *from == '%' ? (char) (high * 16 + low) : *from;
        from += *from == '%' ? 2 : 0;
    }
    *to = '\0';
    lexeme->value = copy;
    lexeme->value_length = (size_t) (to - copy);
    return true;
}

/* ---- prefixes ------------------------------------------------------------------------------ */

/* Length of "name:" at an index, without the colon; 0 for none. */
static size_t
name_length (const struct lexer *lexer, size_t index)
{
    size_t end = index;

    while (g_ascii_isalpha (at (lexer, end)))
        end++;
    return at (lexer, end) == ':' ? end - index : 0;
}

/* The same of a name that the user may have given. */
static size_t
user_name_length (const struct lexer *lexer, size_t index)
{
    size_t end = index;

    while (g_ascii_isalnum (at (lexer, end)) || at (lexer, end) == '_')
        end++;
    return at (lexer, end) == ':' ? end - index : 0;
}

/* The prefix that stands at an index; NULL for none. */
static const struct prefix *
prefix_at (const struct lexer *lexer, size_t index)
{
    const char *name = lexer->text + index;
    const struct prefix *prefix = prefix_find (name, name_length (lexer, index));

    return prefix != NULL ? prefix
                          : prefix_find_user (lexer->users, name, user_name_length (lexer, index));
}

/* An unknown name is refused where a known one was surely meant: "form:ann", but not "std::map",
 * "data://" or "Note: this". */
static bool
check_unknown (struct lexer *lexer, size_t index, size_t length, struct mail_query_error *error)
{
    const char *name = lexer->text + index;
    const struct prefix *guess = prefix_guess (name, length);
    char *hint;

    if (guess == NULL || strchr (":/", at (lexer, index + length + 1)) != NULL ||
        blank_length (lexer, index + length + 1) > 0)
        return true;
    hint = talloc_asprintf (lexer->ctx,
                            "write \"%s:\" for the prefix, or quotes around it all to find the "
                            "words",
                            guess->name);
    return query_error_set (lexer->ctx, error, index, length + 1, hint,
                            "unknown prefix \"%.*s:\"; did you mean \"%s:\"?", (int) length, name,
                            guess->name);
}

static bool
missing_value (struct lexer *lexer, const struct lexeme *lexeme, struct mail_query_error *error)
{
    const char *name = lexeme->prefix->name;
    char *hint = talloc_asprintf (lexer->ctx,
                                  "put a value right behind the colon, or write \"%s\" "
                                  "in quotes to find the word",
                                  name);

    if (lexeme->prefix->kind == KIND_TERM || lexeme->prefix->kind == KIND_WORDS)
        hint = talloc_asprintf_append (hint, "; %s:\"\" is the empty value", name);
    return query_error_set (lexer->ctx, error, lexeme->offset, strlen (name) + 1, hint,
                            "nothing stands behind \"%s:\"", name);
}

/* A value without quotes, from start to where the lexer is. */
static void
set_value (struct lexer *lexer, struct lexeme *lexeme, size_t start)
{
    lexeme->value = lexer->text + start;
    lexeme->value_length = lexer->position - start;
    lexeme->value_offset = start;
}

/* date:"A"..B */
static bool
is_range_of_quoted (const struct lexer *lexer)
{
    return at (lexer, lexer->position) == '.' && at (lexer, lexer->position + 1) == '.';
}

/* Takes what stands behind "prefix:". */
static bool
take_prefixed (struct lexer *lexer, struct lexeme *lexeme, struct mail_query_error *error)
{
    size_t start = lexeme->offset + strlen (lexeme->prefix->name) + 1;
    const struct prefix *prefix = lexeme->prefix;
    bool regex = prefix->regex && at (lexer, start) == '/';

    lexeme->kind = LEX_PIECE;
    if (start >= lexer->length || at (lexer, start) == ')' || blank_length (lexer, start) > 0) {
        if (!lexer->lenient)
            return missing_value (lexer, lexeme, error);
        lexeme->prefix = NULL;
        lexer->position = start;
        set_value (lexer, lexeme, lexeme->offset);
        return true;
    }
    if (at (lexer, start) == '"') {
        take_quoted (lexer, lexeme, start);
        return prefix->kind != KIND_DATE || !is_range_of_quoted (lexer) ||
               query_error_set (lexer->ctx, error, lexer->position, 2,
                                "put the quotes around all of it: date:\"2 years ago..last month\"",
                                "a range does not go on behind quotes");
    }
    if (prefix->kind == KIND_TERM && at (lexer, start) == '%' && at (lexer, start + 1) == '"')
        return take_encoded (lexer, lexeme, start, error);
    if (at (lexer, start) == '(') {
        lexeme->kind = LEX_GROUP;
        lexer->position = start + 1;
        return true;
    }
    if (prefix->braces && at (lexer, start) == '{')
        lexer->position = braces_end (lexer, start);
    else if (prefix->kind == KIND_WORDS && !prefix->one_phrase)
        lexer->position = bare_end (lexer, start);
    else
        lexer->position = value_end (lexer, start, regex, prefix->one_phrase);
    set_value (lexer, lexeme, start);
    return true;
}

/* ---- operators ----------------------------------------------------------------------------- */

static bool
is_word (const struct lexeme *lexeme, const char *word)
{
    return lexeme->value_length == strlen (word) &&
           g_ascii_strncasecmp (lexeme->value, word, lexeme->value_length) == 0;
}

enum { WINDOW_DEFAULT = 10, WINDOW_LIMIT = 1000000 /* words; no text has more */ };

/* "near" or "adj", with or without "/N". */
static bool
is_proximity (struct lexeme *lexeme, const char *word)
{
    size_t length = strlen (word);
    const char *digits = lexeme->value + length + 1;
    unsigned window = 0;

    if (is_word (lexeme, word)) {
        lexeme->window = WINDOW_DEFAULT;
        return true;
    }
    if (lexeme->value_length < length + 2 || lexeme->value[length] != '/' ||
        g_ascii_strncasecmp (lexeme->value, word, length) != 0)
        return false;
    for (; digits < lexeme->value + lexeme->value_length; digits++) {
        if (!g_ascii_isdigit (*digits))
            return false;
        window = MIN (window * 10 + (unsigned) (*digits - '0'), WINDOW_LIMIT);
    }
    lexeme->window = window;
    return window > 0;
}

/* Says what words without quotes are. */
static enum lexeme_kind
classify (struct lexeme *lexeme)
{
    static const struct {
        const char *word;
        enum lexeme_kind kind;
    } operators[] = {
        {"and", LEX_AND}, {"or", LEX_OR}, {"xor", LEX_XOR}, {"not", LEX_NOT}, {"*", LEX_ALL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS (operators); i++)
        if (is_word (lexeme, operators[i].word))
            return operators[i].kind;
    if (is_proximity (lexeme, "near"))
        return LEX_NEAR;
    return is_proximity (lexeme, "adj") ? LEX_ADJ : LEX_PIECE;
}

/* A sign counts where something begins, and before something. */
static bool
is_sign (const struct lexer *lexer, size_t index)
{
    char next = at (lexer, index + 1);
    char before = index > 0 ? lexer->text[index - 1] : ' ';

    if (strchr ("+-", lexer->text[index]) == NULL || lexer->text[index] == '\0')
        return false;
    if (next == '\0' || strchr ("+-)", next) != NULL || blank_length (lexer, index + 1) > 0)
        return false;
    return before == '(' || is_ascii_blank (before) || (unsigned char) before >= 0x80;
}

/* ---- pieces -------------------------------------------------------------------------------- */

static bool
take_bare (struct lexer *lexer, struct lexeme *lexeme, struct mail_query_error *error)
{
    size_t start = lexeme->offset;
    size_t length = name_length (lexer, start);

    lexeme->prefix = prefix_at (lexer, start);
    if (lexeme->prefix != NULL)
        return take_prefixed (lexer, lexeme, error);
    if (length > 0 && !lexer->lenient && !check_unknown (lexer, start, length, error))
        return false;
    lexer->position = bare_end (lexer, start);
    set_value (lexer, lexeme, start);
    lexeme->kind = classify (lexeme);
    return true;
}

static bool
take (struct lexer *lexer, struct lexeme *lexeme, struct mail_query_error *error)
{
    char first = lexer->text[lexer->position];

    if (first == '"') {
        lexeme->kind = LEX_PIECE;
        take_quoted (lexer, lexeme, lexer->position);
        return true;
    }
    if (first == '(' || first == ')')
        lexeme->kind = first == '(' ? LEX_OPEN : LEX_CLOSE;
    else if (is_sign (lexer, lexer->position))
        lexeme->kind = first == '+' ? LEX_LOVE : LEX_HATE;
    else
        return take_bare (lexer, lexeme, error);
    lexer->position++;
    return true;
}

bool
lexer_next (struct lexer *lexer, struct lexeme *lexeme_out, struct mail_query_error *error)
{
    struct lexeme lexeme = {.kind = LEX_END};
    size_t blank;

    while ((blank = blank_length (lexer, lexer->position)) > 0)
        lexer->position += blank;
    lexeme.offset = lexer->position;
    if (lexer->position < lexer->length && !take (lexer, &lexeme, error))
        return false;
    lexeme.length = lexer->position - lexeme.offset;
    lexeme.after = at (lexer, lexer->position);
    *lexeme_out = lexeme;
    return true;
}
