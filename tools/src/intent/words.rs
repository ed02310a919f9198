//! Words by which people ask for a page, in the languages of the judged messages. Lower case, without apostrophes and
//! hyphens; one phrase between two bars.

/// What may stand before a request: politeness, "can you", "now".
pub(super) const LEADS: &str = "|please|pls|plz|kindly|hey|hi|hello|ok|okay|so|now|then|and|also|first|next|just|quickly|again|\
    can you|could you|would you|will you|can u|could u|can we|could we|you|mind|would you mind|go ahead and|go ahead|any chance you could|i d love for you to|i want you to|i need you to|\
    i want to|i need to|i d like you to|i d like to|i would like you to|i would like to|id like you to|let s|lets|let us|help me|\
    try to|your task is to|your job is to|use the browser to|use a browser to|use your browser to|in the browser|for me|\
    \u{fffc}|on \u{fffc}|at \u{fffc}|from \u{fffc}|in \u{fffc}|using \u{fffc}|with \u{fffc}|auf \u{fffc}|von \u{fffc}|sur \u{fffc}|de \u{fffc}|en \u{fffc}|su \u{fffc}|em \u{fffc}|op \u{fffc}|na \u{fffc}|на \u{fffc}|с \u{fffc}|في \u{fffc}|\
    bitte|mal|doch|jetzt|dann|und|kannst du|könntest du|würdest du|kannst|könntest|können sie|könnten sie|du|dir|sie|sich|mir|mal kurz|kurz|ich möchte dass du|\
     s il te plaît|s il vous plaît|stp|svp|peux tu|pourrais tu|pouvez vous|pourriez vous|tu peux|vous pouvez|est ce que tu peux|maintenant|puis|et|me|\
    por favor|puedes|podrías|puede|podría|me puedes|ahora|luego|y|quiero que|\
    per favore|puoi|potresti|può|potrebbe|ora|poi|e|mi puoi|\
    você pode|pode|poderia|você poderia|podes|agora|depois|quero que você|\
    alsjeblieft|graag|kun je|kan je|kunt u|zou je|wil je|je|nu|dan|en|eens|even|\
    proszę|czy możesz|czy mógłbyś|czy mogłabyś|możesz|mógłbyś|teraz|potem|\
    пожалуйста|можешь|можете|мог бы ты|не мог бы ты|можешь ли ты|теперь|потом|и|давай|\
    lütfen|şimdi|ve|sonra|bana|\
    هل يمكنك|هل تستطيع|من فضلك|رجاء|يرجى|الآن|ثم|\
    कृपया|क्या आप|क्या तुम|अब|और|";

/// Leads in whose sentences the verb may stand after the URL.
pub(super) const VERB_LAST_LEADS: &str =
    "|kannst|könntest|würdest|können|könnten|bitte|kun|kan|kunt|zou|wil|ich|graag|";

/// Requests for a page, as they begin.
pub(super) const VERBS: &str = "|look at|have a look at|take a look at|look into|look up|look on|look through|open|open up|visit|go to|go on|go onto|goto|head to|head over to|navigate to|navigate|browse|browse to|\
    check|check out|check on|check if|check whether|see if|see what|see whether|view|show|show me|read|read through|skim|summarize|summarise|summary of|a summary of|sum up|tldr|tldr of|tl dr|extract|scrape|crawl|fetch|load \u{fffc}|load the|load this|pull up|bring up|get me|get the|get all|get a|get \u{fffc}|grab|give me the|give me an overview|\
    screenshot|take a screenshot|take screenshot|make a screenshot|get a screenshot|grab a screenshot|capture|snapshot|take a picture|take a snapshot|screencap|\
    analyze|analyse|review|reviewing|inspect|examine|explore|compare|click|click on|log in|log into|login to|login at|login on|sign in to|sign in at|sign in on|sign up|fill in|fill out|search for|search on|search the|search \u{fffc}|find on|find out|find the|find me|find all|book a|order a|buy|tell me what|tell me about|tell me if|describe|list the|list all|download the|download all|download a|download \u{fffc}|access \u{fffc}|access the|verify|audit|critique|scroll|explain \u{fffc}|explain what \u{fffc}|translate \u{fffc}|translate the page|translate this page|translate the article|translate this article|\
    opening|visiting|looking at|checking|reading|summarizing|\
    mach einen screenshot|mache einen screenshot|mach bitte einen screenshot|mach mal einen screenshot|screenshot von|öffne|öffnen|besuche|besuchen|besuch|schau|schau dir|schaue|anschauen|ansehen|angucken|sieh|sieh dir|guck|guck dir|lies|lese|lesen|durchlesen|fasse|fass|zusammenfassen|geh auf|geh zu|gehe auf|gehe zu|geh|gehe|navigiere|navigier|ruf|rufe|aufrufen|zeig|zeige|prüf|prüfe|prüfen|überprüfe|überprüfen|check mal|checken|extrahiere|extrahieren|klick|klicke|such auf|suche auf|lade|erfasse|vergleiche|vergleichen|untersuche|\
    fais une capture|fais moi une capture|faire une capture|prends une capture|prends un screenshot|capture d écran de|capturer|ouvre|ouvrir|ouvrez|visite|visiter|visitez|va sur|va voir|aller sur|allez sur|regarde|regarder|regardez|jette un œil|jette un oeil|jeter un œil|jeter un oeil|lis|lire|lisez|résume|résumer|résumez|vérifie|vérifier|consulte|consulter|montre|montre moi|affiche|extrais|extraire|clique|navigue|parcours|compare|analyse|dis moi ce que|\
    haz una captura|hacer una captura|haz un screenshot|toma una captura|tomar una captura|saca una captura|captura|abre|abrir|abra|visita|visitar|visite|ve a|entra en|entra a|entrar en|ingresa a|lee|leer|lea|léeme|resume|resumir|resúmeme|mira|mirar|mire|échale un vistazo|echa un vistazo|échale|revisa|revisar|comprueba|comprobar|consulta|consultar|muestra|muéstrame|navega|extrae|extraer|haz clic|compara|analiza|dime qué|\
    fai uno screenshot|fare uno screenshot|fammi uno screenshot|cattura|apri|aprire|apra|visitare|vai su|vai a|andare su|leggi|leggere|legga|riassumi|riassumere|guarda|guardare|dai un occhiata|dare un occhiata|controlla|controllare|verifica|mostra|mostrami|estrai|estrarre|clicca|naviga|confronta|analizza|dimmi cosa|\
    tire um print|tirar um print|tira um print|faça uma captura|faz uma captura|tire uma captura|capture|abra|acesse|acessar|aceda|visite|vá para|vá em|vai em|entre em|entra em|leia|ler|lê|resuma|resumir|resume|veja|ver|olhe|olha|dê uma olhada|dá uma olhada|dar uma olhada|verifique|verificar|confira|mostre|extraia|extrair|clique|navegue|compare|analise|diga me|\
    maak een screenshot|maak een schermafbeelding|openen|bezoek|bezoeken|ga naar|ga eens naar|kijk|kijk op|kijk naar|bekijk|bekijken|lees|lezen|vat|samenvatten|samen te vatten|controleer|controleren|check|toon|laat zien|haal|klik|vergelijk|\
    zrób zrzut|zrobić zrzut|zrób screenshot|zrzut ekranu strony|otwórz|otworzyć|odwiedź|odwiedzić|wejdź na|wejść na|wejdź|przejdź do|przejdź na|przeczytaj|przeczytać|streść|streścić|podsumuj|podsumować|zobacz|zobaczyć|obejrzyj|sprawdź|sprawdzić|spójrz na|spójrz|spojrzeć|rzuć okiem|zajrzyj|pokaż|wyciągnij|kliknij|porównaj|przeanalizuj|\
    сделай скриншот|сделать скриншот|сделайте скриншот|сними скриншот|скриншот|открой|открыть|откройте|посети|посетить|зайди|зайти|зайдите|перейди|перейти|перейдите|прочитай|прочитать|прочитайте|прочти|прочесть|прочтите|почитай|перескажи|пересказать|суммируй|резюмируй|посмотри|посмотреть|посмотрите|глянь|взгляни|взглянуть|загляни|проверь|проверить|проверьте|покажи|показать|извлеки|извлечь|нажми|сравни|изучи|проанализируй|\
    التقط|التقاط|افتح|فتح|زر|زيارة|اقرأ|قراءة|اقرا|لخص|تلخيص|اذهب إلى|اذهب الى|اذهب|انظر إلى|انظر|شاهد|ألق نظرة|تصفح|تحقق من|تحقق|افحص|اعرض|أرني|استخرج|ادخل إلى|ادخل|راجع|قارن|";

/// What begins like a request and is none.
pub(super) const NOT_VERBS: &str =
    "|open source|open api|open issues|read only|read more|view source|check list|visit us|";

/// Words anywhere in a sentence with a URL that ask for a picture or a summary of it, unless it asks how.
pub(super) const NOUNS: &str = "|screenshot of|screenshots of|screen shot of|screencap of|picture of|summary of|tldr of|contents of|content of|screenshot von|bildschirmfoto von|zusammenfassung von|\
    capture d écran de|résumé de|captura de pantalla de|captura de|resumen de|screenshot di|riassunto di|print de|captura de tela de|resumo de|screenshot van|schermafbeelding van|samenvatting van|\
    zrzut ekranu|скриншот|لقطة شاشة|ekran görüntüsünü al|ekran görüntüsü al|";

/// Verbs after a URL, as whole words: Turkish, Hindi.
pub(super) const VERBS_AFTER: &str = "|aç|açar mısın|oku|okur musun|özetle|özetler misin|bak|bakar mısın|git|gir|göster|incele|kontrol et|ziyaret et|tıkla|çek|al|karşılaştır|listele|\
    खोलो|खोलें|खोलिए|खोल|देखो|देखें|देखिए|देखकर|पढ़ो|पढ़ें|पढ़िए|पढ़कर|जाओ|जाएं|जाइए|बताओ|बताएं|बताइए|दिखाओ|लो|लें|लीजिए|दो|सारांश|जांचो|जाँचो|निकालो|";

/// Parts of sentences in scripts without spaces, and Korean.
pub(super) const PARTS: &str = "|開いて|見て|みて|読んで|要約して|要約を|まとめて|確認して|チェックして|アクセスして|調べて|教えて|表示して|撮って|撮影して|抽出して|キャプチャして|スクショして|スクリーンショットを|スクショを|のスクリーンショット|訪問して|比較して|クリックして|何と書い|何が書い|\
    打开|訪問|访问|看看|看一下|看下|查看|浏览|瀏覽|截图|截圖|截个图|截屏|阅读|讀一下|读一下|读取|总结|總結|概括|摘要|抓取|提取|打開|閱讀|点击|點擊|检查|检查一下|进入|写了什么|有什么|說什麼|说了什么|\
    열어줘|열어 줘|열어서|열어봐|열고|열어주|봐줘|봐 줘|봐주|보여줘|보여 줘|읽어줘|읽어 줘|읽고|읽어봐|요약해|요약 해|스크린샷 찍|스크린샷을 찍|캡처해|캡쳐해|확인해|방문해|접속해|알려줘|알려 줘|들어가|눌러|분석해|비교해|살펴봐|";

/// What makes them no request: a past, a negation.
pub(super) const PARTS_DENIED: &str =
    "|不要|别打开|别访问|請勿|请勿|不用|勿|打开了|访问了|看了|ないで|しないで|开过|지 마|지마|말고|";

/// A request is denied by one of these shortly before its verb.
pub(super) const NEGATIONS: &str =
    "|don t|dont|do not|never|without|not to|stop|nicht|kein|n|ne|no|non|não|nao|nunca|nie|не|لا|मत|";

/// A sentence with one of these in it talks of code, not of a page.
pub(super) const CODE: &str = "|script|scripts|regex|regexp|function|snippet|code|curl|selenium|playwright|puppeteer|python|javascript|html|css|bash|\
    skript|programm|funktion|programme|programa|programma|skrypt|program|скрипт|программу|программа|код|betik|kod|برنامج|برنامجا|سكربت|स्क्रिप्ट|कोड|प्रोग्राम|";

/// The same in scripts without spaces.
pub(super) const CODE_PARTS: &str =
    "|スクリプト|コードを|プログラム|脚本|腳本|代码|程式|程序|스크립트|코드를|프로그램|";

/// Requests for something else than a page, as they begin: what they say of a page is their material.
pub(super) const OTHERS: &str = "|write|translate|explain|create|generate|draft|compose|make|build|implement|code|add|set|put|give me|suggest|rephrase|proofread|correct|fix|how|why|replace|rename|change|update|use|configure|\
    schreib|schreibe|erstelle|füge|setze|wie|warum|korrigiere|formuliere|übersetze|\
    écris|écrire|crée|ajoute|comment|pourquoi|traduis|corrige|mets|\
    escribe|escribir|crea|añade|cómo|por qué|traduce|corrige|pon|\
    scrivi|scrivere|aggiungi|come|perché|traduci|correggi|metti|\
    escreva|escrever|crie|adicione|como|por que|traduza|corrija|\
    schrijf|voeg|hoe|waarom|vertaal|\
    napisz|dodaj|jak|dlaczego|przetłumacz|\
    напиши|добавь|как|почему|переведи|\
    اكتب|أضف|كيف|لماذا|ترجم|";

/// How questions begin that a page may answer.
pub(super) const QUESTIONS: &str = "|what|what s|whats|who|who s|where|which|when|how many|how much|how long|how old|is|are|does|do|did|has|have|tell me|\
    was|wer|wo|welche|welcher|welches|wann|wie viele|wie viel|wie hoch|ist|steht|gibt es|que|qu est ce|quel|quelle|quels|quelles|qui|combien|quand|est ce que|qué|quién|cuál|cuánto|cuántos|cuándo|cosa|che cosa|quanto|quanti|quale|chi|o que|qual|quanto|quantos|quem|\
    wat|wie|welke|hoeveel|wanneer|co|kto|ile|kiedy|jaki|jaka|jakie|что|кто|сколько|когда|какой|какая|какие|ماذا|ما|من|كم|متى|";

/// Words directly before a URL that make a question one about what stands there.
pub(super) const AT: &str = "|on|at|from|in|according to|of|site|page|website|article|post|\
    auf|bei|von|laut|unter|seite|sur|dans|selon|page|site|à|en|según|página|su|secondo|pagina|em|no|na|segundo|op|volgens|na|w|według|strona|stronie|на|в|по|сайте|странице|على|في|موقع|صفحة|";

/// Words directly after one.
pub(super) const SAYS: &str = "|say|says|said|show|shows|contain|contains|about|offer|offers|have|has|cost|charge|look like|talk about|mention|up|down|online|offline|working|reachable|loading|accessible|about|\
    sagt|zu|an|erreichbar|online|down|dit|propose|dice|ofrece|offre|diz|zegt|mówi|";

/// Words for a page that was named before.
pub(super) const THIS: &str = "|this|it|they|page|article|site|website|seite|artikel|hier|das|cette page|cet article|ceci|esta página|este artículo|esto|questa pagina|questo|esta página|este artigo|isto|deze pagina|dit|ta strona|to|эта страница|это|";
